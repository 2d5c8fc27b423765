import type { AgentCall } from "../../acp-runner/agent-update.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { RunSpec } from "../../run/run.ts";
import { serverPrefix } from "../../run/server-name.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";
import { confine, displayPath, type Roots } from "../../tool/path/path-confinement.ts";
import { familyFolder, type ToolAccess } from "../../tool/tool.ts";
import { refuseForeignCall } from "../tool-call/check-permission.ts";
import type { NotePermission } from "../tool-call/tool-step.ts";
import { selectTools } from "../tool-call/select-tools.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { messageOf } from "../run-failed.ts";
import { commandOfCall, titleOfCall } from "./call-title.ts";

/** A runner's tool call, translated to Cadre's permissions. */
interface Question {
  tool: { name: string; access: ToolAccess };
  call: { title: string; subject: string; paths: readonly string[] | null };
  input: JsonValue;
}

/** The tool of Cadre that matches a kind of call. Other kinds count as commands, the strictest case. */
const toolsOfKinds: ReadonlyMap<string, Question["tool"]> = new Map<string, Question["tool"]>([
  ["read", { name: "Read", access: "read" }],
  ["search", { name: "Grep", access: "read" }],
  ["edit", { name: "Edit", access: "edit" }],
  ["fetch", { name: "WebFetch", access: "network" }],
  ["think", { name: "Think", access: "none" }],
]);
const command: Question["tool"] = { name: "Bash", access: "execute" };

/** The names of Cadre's tools whose calls a runner may ask about. */
export const askedTools: readonly string[] = [
  ...[...toolsOfKinds.values()].map(({ name }) => name),
  command.name,
];

/**
 * Checks a call about which a runner asks against the run's rules and mode and the tools of the agent and its parent, and asks
 * the user. Returns why the call is refused, or `undefined`. A call that runs a command may count as two calls in Cadre; `note`
 * receives the decision about each.
 */
export async function refuseRunnerCall(
  run: RunContext,
  key: string,
  { call, note }: { call: AgentCall; note: NotePermission },
): Promise<string | undefined> {
  const { spec, definition } = run;
  const questions = describeQuestions(call, run);
  for (const [index, question] of questions.entries()) {
    if ("problem" in question) return question.problem;
    const { name } = question.tool;
    if (!isGranted(name, definition, spec)) return `the agent has no tool ${name} here`;
    const own = index === 0 ? key : `${key}/${index}`;
    const refusal = await refuseForeignCall(run, { key: own, ...question, note });
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Describes a call by its kind and by the command that it runs, because the kind is only the agent's claim. */
function describeQuestions(call: AgentCall, run: RunContext): (Question | { problem: string })[] {
  const ofKind = describeQuestion(call, run);
  const subject = commandOfCall(call);
  const isKnown = !("problem" in ofKind) && ofKind.tool.access === "execute";
  if (subject === undefined || isKnown) return [ofKind];
  const { input = null } = call;
  const title = titleOfCall(call);
  return [ofKind, { tool: command, call: { title, subject, paths: null }, input }];
}

function describeQuestion(call: AgentCall, run: RunContext): Question | { problem: string } {
  const { kind = "other", input = null, name = "" } = call;
  const isExtension = name.startsWith("mcp__");
  const tool = isExtension
    ? { name, access: "execute" as const }
    : (toolsOfKinds.get(kind) ?? command);
  const title = titleOfCall(call);
  if (tool.access === "read" || tool.access === "edit") {
    const { workspace } = run.spec;
    const alsoReadable = tool.access === "read" ? [familyFolder(run)] : [];
    return aboutFiles({ tool, title, input }, call.paths ?? [], { workspace, alsoReadable });
  }
  if (isExtension) {
    const subject = JSON.stringify(input ?? {});
    return { tool, call: { title, subject, paths: null }, input };
  }
  const subject = tool === command ? commandOfCall(call) : urlOf(input);
  return { tool, call: { title, subject: subject ?? title, paths: null }, input };
}

function aboutFiles(
  { tool, title, input }: Pick<Question, "tool" | "input"> & { title: string },
  named: readonly string[],
  roots: Roots,
): Question | { problem: string } {
  try {
    const paths = named.map((path) => confine(path, roots));
    const subject = paths.map((path) => displayPath(path, roots.workspace)).join(", ");
    // Unnamed files could be any files.
    const known = paths.length === 0 ? null : paths;
    return { tool, call: { title, subject: subject || title, paths: known }, input };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function urlOf(input: JsonValue): string | undefined {
  const url = isRecord(input) ? input["url"] : undefined;
  return typeof url === "string" ? url : undefined;
}

/** Reports whether the agent's definition and its parent both have a tool of that name. */
function isGranted(name: string, definition: AgentDefinition, spec: RunSpec): boolean {
  const brought = (spec.extensions ?? []).filter(({ isOwn }) => isOwn === true);
  const isOwn = brought.some((extension) => name.startsWith(serverPrefix(extension.name)));
  const own = new Set(isOwn ? [name] : []);
  return selectTools([{ name }], definition, spec, { own }).tools.has(name);
}
