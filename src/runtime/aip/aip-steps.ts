import { readFile } from "node:fs/promises";
import type { AipAct, AipStep } from "../../aip/location/aip-port.ts";
import type { InternalCall, InternalContext } from "../../engine/program/internal-context.ts";
import type { JsonValue } from "../../source/json.ts";
import { displayPath } from "../../tool/path/path-confinement.ts";
import { sha256 } from "../../tool/path/regular-file.ts";
import type { Tool, TouchedFile } from "../../tool/tool.ts";

/** The tools whose permission rules apply to actions of scripts. */
const tools: Readonly<Record<AipAct["kind"], Pick<Tool, "name" | "access" | "isShell">>> = {
  write: { name: "Write", access: "edit" },
  delete: { name: "Write", access: "edit" },
  command: { name: "Bash", access: "execute", isShell: true },
  web: { name: "WebFetch", access: "network" },
};

/** Performs an action of a script once. An action with an outside effect is a tool call, with permission and budget. */
export async function takeAipStep<Value extends JsonValue>(
  context: InternalContext,
  { key, title, act }: AipStep,
  work: () => Promise<Value>,
): Promise<Value> {
  const { signal, heartbeat, record, call, spec } = context;
  signal.throwIfAborted();
  heartbeat();
  if (act === undefined) return await record(key, work);
  const outcome = await call(toCall({ key, title, act }, spec.workspace), async () => {
    const output = await work();
    const files = await touchedBy(act);
    return { text: title, output, ...(files.length > 0 && { files }) };
  });
  if (outcome.isError === true) throw new Error(outcome.text);
  return outcome.output as Value;
}

function toCall({ key, title, act }: Required<AipStep>, workspace: string): InternalCall {
  const { kind, others = [] } = act;
  const isFile = kind === "write" || kind === "delete";
  const paths = kind === "command" ? null : isFile ? [act.subject, ...others] : [];
  const subject = isFile ? displayPath(act.subject, workspace) : act.subject;
  return {
    key,
    tool: tools[kind],
    call: { title, subject, paths },
    input: { [kind]: subject },
    hasEffect: kind !== "web",
  };
}

/** Lists the files that a script changed, in the same form as other tools, without folders. */
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
