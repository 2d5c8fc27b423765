import { readFile } from "node:fs/promises";
import type { AipAct, AipStep } from "../aip/aip-port.ts";
import { refuseCall } from "../engine/permit.ts";
import type { Session } from "../engine/session.ts";
import type { JsonValue } from "../source/json.ts";
import { displayPath } from "../tool/path-confinement.ts";
import { sha256 } from "../tool/regular-file.ts";
import type { Tool, ToolOutcome, TouchedFile } from "../tool/tool.ts";

/** The tools by whose rules acts of scripts are allowed. */
const tools: Readonly<Record<AipAct["kind"], Pick<Tool, "name" | "access" | "isShell">>> = {
  write: { name: "Write", access: "edit" },
  delete: { name: "Write", access: "edit" },
  command: { name: "Bash", access: "execute", isShell: true },
  web: { name: "WebFetch", access: "network" },
};

const denial = "Permission denied for ";

/** Whether what a script failed with is that something was not permitted: errors are only text in Lua. */
export function isDenial(message: string): boolean {
  return message.includes(`: ${denial}`);
}

/** Does something for a script once; what it does outside is a call of a tool, with its permission and its place in the budget. */
export async function takeAipStep<Value extends JsonValue>(
  session: Session,
  { key, title, act }: AipStep,
  work: () => Promise<Value>,
): Promise<Value> {
  const { steps, prefix, watchdog } = session;
  const own = `${prefix}${key}`;
  session.signal.throwIfAborted();
  watchdog.sign();
  if (act === undefined) {
    return await steps.do({ key: own, kind: "note" }, async () => ({ value: await work() }));
  }
  const hasEffect = act.kind !== "web";
  const outcome = await steps.do<ToolOutcome>(
    { key: own, kind: "tool", title, hasEffect },
    async () => {
      const value = await work();
      const files = await touchedBy(act);
      return { value: { text: title, output: value, ...(files.length > 0 && { files }) } };
    },
    {
      interrupted: () => failure(`Interrupted, effect unknown, check before repeating: ${title}`),
      async refuse() {
        const reason = await refuse(session, { key: own, title, act });
        if (reason !== undefined) return failure(`${denial}${title}: ${reason}`);
        session.budget.callTool();
        return undefined;
      },
    },
  );
  if (outcome.isError === true) throw new Error(outcome.text);
  return outcome.output as Value;
}

async function refuse(
  session: Session,
  { key, title, act }: { key: string; title: string; act: AipAct },
): Promise<string | undefined> {
  const { kind, source } = act;
  const isFile = kind === "write" || kind === "delete";
  const files = source === undefined ? [act.subject] : [act.subject, source];
  const paths = kind === "command" ? null : isFile ? files : [];
  const subject = isFile ? displayPath(act.subject, session.spec.workspace) : act.subject;
  const call = { title, subject, paths };
  return await refuseCall(session, { key, tool: tools[kind], call, input: { [kind]: subject } });
}

/** What a script wrote, as other tools say it: it is among the files that a run changed. A new folder is none. */
async function touchedBy({ kind, subject: path }: AipAct): Promise<TouchedFile[]> {
  if (kind !== "write" && kind !== "delete") return [];
  const content = await readFile(path).catch(() => null);
  if (kind === "write" && content === null) return [];
  return [{ path, hash: content === null ? null : sha256(content), change: "written" }];
}

function failure(text: string): ToolOutcome {
  return { text, isError: true };
}
