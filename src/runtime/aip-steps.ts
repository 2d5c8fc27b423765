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
  const { kind, others = [] } = act;
  const isFile = kind === "write" || kind === "delete";
  const paths = kind === "command" ? null : isFile ? [act.subject, ...others] : [];
  const subject = isFile ? displayPath(act.subject, session.spec.workspace) : act.subject;
  const call = { title, subject, paths };
  return await refuseCall(session, { key, tool: tools[kind], call, input: { [kind]: subject } });
}

/** The files a script changed, in the form other tools report them. Folders are not among them. */
async function touchedBy({ kind, subject, others = [] }: AipAct): Promise<TouchedFile[]> {
  if (kind !== "write" && kind !== "delete") return [];
  const isFolder = kind === "delete" && others.length > 0;
  const paths = isFolder ? others : [subject, ...others];
  const contents = await Promise.all(
    paths.map(async (path) => ({ path, content: await readFile(path).catch(() => null) })),
  );
  return contents
    .filter(({ path, content }) => kind === "delete" || path !== subject || content !== null)
    .map(({ path, content }) => ({
      path,
      hash: content === null ? null : sha256(content),
      change: "written",
    }));
}

function failure(text: string): ToolOutcome {
  return { text, isError: true };
}
