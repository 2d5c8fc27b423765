import { describeLevels, describePermission } from "./describe-permission.ts";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import {
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatNumberOf,
  formatTime,
} from "./format-value.ts";
import { describeLineage } from "./run-notes.ts";
import { describeFigures, explainFailure } from "./summary.ts";
import { elapsedOf, runName } from "./tree-line.ts";
import { wrapProse } from "../terminal/wrap-prose.ts";
import { nameFlags } from "../arguments/name-flags.ts";
import {
  describeApproval,
  describeModelChange,
  describeRaise,
  readRecordedOutcome,
  type Run,
  type RunEvent,
  type RunOverview,
} from "../../host.ts";

/** The todo list of a run as its agent left it. */
export interface TodoView {
  summary: string;
  /** A line for each item. */
  list: string;
}

/** Options of {@link describeRunReport}. */
interface RunReportOptions {
  todos?: TodoView | undefined;
  /** The columns of the terminal. Default: nothing is wrapped. */
  columns?: number;
  /** The time until which the time of an active run is counted, in epoch milliseconds. */
  until: number;
}

/**
 * Formats a run as text: its settings, its conversation step by step, and its result. Wraps prose to `columns`, but not the results
 * of calls.
 */
export function describeRunReport(
  run: RunOverview,
  events: readonly RunEvent[],
  { todos, columns = Infinity, until }: RunReportOptions,
): string[] {
  const parts = [
    ...describeHead(run, events, until),
    ...section("TASK", run.task),
    ...events.flatMap(describeStep),
    ...(todos === undefined ? [] : section(`TODOS, ${todos.summary}`, todos.list)),
    ...describeEnd(run),
  ];
  return parts.flatMap((part) =>
    typeof part === "string" ? [part] : indent(wrapProse(part.prose, columns - margin.length - 1)),
  );
}

/** A line, or lines of prose to wrap and indent. */
type Part = string | { prose: readonly string[] };

/** The margin of untrusted text, so that it cannot imitate a heading. */
const margin = "   ";

function describeHead(run: RunOverview, events: readonly RunEvent[], until: number): string[] {
  const created = events.find((event) => event.type === "run-created");
  const { usage } = run;
  const facts: [string, string | null][] = [
    ["run", run.id],
    ["agent", runName(run)],
    ["status", run.status],
    ["model", describeModel(created, run)],
    ["parent", run.parentId],
    ["depends on", run.dependsOn.length === 0 ? null : run.dependsOn.join(", ")],
    ["continues", run.continues ?? null],
    ["made as", run.lineage === undefined ? null : describeLineage(run.lineage)],
    ["cached", run.cachedFrom === undefined ? null : `the result of ${run.cachedFrom}`],
    ["background", describeBackground(run)],
    ["created", formatTime(run.createdAt)],
    ["time", formatDuration(elapsedOf(run, until))],
    ["attempts", String(run.attempts)],
    ["runs", run.runs === 1 ? null : `${run.runs}: this run and its descendants together`],
    ["turns", String(run.turns)],
    ["tokens", `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`],
    ["cost", formatCost(run.cost)],
    ["own", run.runs === 1 ? null : `of this run alone: ${describeFigures(run.own)}`],
    ["workspace", created?.spec.workspace ?? null],
    ...describeSettings(created, run),
    ["mode", created?.spec.policies.map(({ mode }) => mode).join(" > ") ?? null],
  ];
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [`${name.padEnd(10)} ${cleanLine(value)}`],
  );
}

/** Describes the model in use, and the first model if another one took over. */
function describeModel(created: Created, { model, firstModel }: Run): string | null {
  if (firstModel === undefined) return explain(created, "model", model);
  return `${model}, which took over from ${explain(created, "model", firstModel)}`;
}

function describeBackground({ background, detached }: Run): string | null {
  if (background !== true) return null;
  return detached === true ? "detached: it outlives its parent" : "its parent gets its result";
}

type Created = Extract<RunEvent, { type: "run-created" }> | undefined;

function describeSettings(created: Created, run: Run): [string, string | null][] {
  if (created === undefined) return [];
  const { timeoutSeconds, temperature, extensions = [] } = created.spec;
  const { budget, addedSeconds = 0 } = run;
  const names = extensions.map(({ name }) => name).join(", ");
  const bounds = Object.entries(budget ?? {}).map(([name, amount]) => `${name}=${amount}`);
  const settings: [string, string | null][] = [
    ["timeout", `${timeoutSeconds + addedSeconds}s`],
    ["temperature", temperature === null ? null : String(temperature)],
    ["extensions", names === "" ? null : names],
    ["budget", bounds.length === 0 ? null : bounds.join(", ")],
  ];
  return settings.map(([name, value]) => [name, explain(created, name, value)]);
}

/** Formats a setting with its origin. */
function explain(created: Created, name: string, value: string | null): string | null {
  const reason = created?.spec.reasons?.[name];
  return value === null || reason === undefined ? value : `${value} (from ${reason})`;
}

function describeStep(event: RunEvent): Part[] {
  switch (event.type) {
    case "step-finished":
      return describeValue(event);
    case "step-started":
      return [
        "",
        `-> ${cleanLine(event.title)} [${event.key}]`,
        ...describePermission(event.permission),
      ];
    case "approval-requested":
      return [
        "",
        `?  ${cleanLine(event.request.title)} (${cleanLine(event.request.reason)})`,
        ...describeLevels(event.request.levels),
      ];
    case "approval-answered":
      return [`   answered: ${cleanLine(describeApproval(event.answer))}`];
    case "model-retried":
      return [`   the model request was retried: ${cleanLine(event.reason)}`];
    case "model-changed":
      return [`   ${cleanLine(describeModelChange(event))}`];
    case "conversation-compacted":
      return describeCompaction(event);
    case "files-recorded":
      return [
        `   its files are the commit ${cleanLine(event.commit)} at ${cleanLine(event.remote)}`,
      ];
    case "warning-raised":
      return [`   warning: ${cleanLine(nameFlags(event.message))}`];
    case "cancel-requested":
      return ["", `cancel requested by ${cleanLine(event.by)}: ${cleanLine(event.reason)}`];
    case "limits-raised":
      return ["", `limits raised by ${cleanLine(event.by)}: ${describeRaise(event.raise)}`];
    case "message-queued":
      return section(`message from ${event.message.from}`, event.message.text);
    case "messages-delivered":
      return event.messages.flatMap(({ from, text }) =>
        section(`DELIVERED before ${event.step}, from ${from}`, text),
      );
    case "attempt-failed":
      return ["", `attempt ${event.attempt} failed: ${cleanLine(event.failure.message)}`];
    case "result-reused":
      return ["", `the result of ${event.from} was reused`];
    case "children-awaited":
      return [`   waits in the background for ${event.runIds.join(", ")}`];
    case "run-created":
    case "dependencies-settled":
    case "results-collected":
    case "board-changed":
    case "request-started":
    case "request-failed":
    case "run-started":
    case "run-finished":
      return [];
  }
}

function describeCompaction({
  removedCharacters,
  summary = "",
}: Extract<RunEvent, { type: "conversation-compacted" }>): string[] {
  const what = summary === "" ? "" : `; shortened: ${cleanLine(summary)}`;
  return [`   compacted: ${removedCharacters} characters fewer${what}`];
}

function describeValue(event: Extract<RunEvent, { type: "step-finished" }>): Part[] {
  const { kind, key, value, durationMs } = event;
  const time = formatDuration(durationMs);
  if (kind === "model") return section(`MODEL [${key}, ${time}]`, describeReply(value));
  if (kind === "tool") {
    const { text, isError } = readRecordedOutcome(value);
    return [
      `<- ${isError ? "failed" : "ok"} [${key}, ${time}]`,
      ...indent(cleanLines(text)),
      ...describePermission(event.permission),
    ];
  }
  if (/^(?:try\/\d+\/)?instructions$/.test(key)) return describeInstructions(value);
  return section(`STEP [${key}, ${time}]`, toText(value));
}

/** Names the instruction files in a system prompt. */
function describeInstructions(value: unknown): Part[] {
  if (!isObject(value)) return section("INSTRUCTIONS", toText(value));
  const files = Array.isArray(value["files"]) ? value["files"].filter(isObject) : [];
  const names = files.map(({ path, bytes }) => `${toText(path)} (${formatBytes(Number(bytes))})`);
  const title = names.length === 0 ? "INSTRUCTIONS" : `INSTRUCTIONS, with ${names.join(", ")}`;
  return section(title, toText(value["text"]));
}

/** Describes a reply. Checks its shape, because the journal may come from another version of Cadre. */
function describeReply(value: unknown): string {
  const parts = isObject(value) && Array.isArray(value["parts"]) ? value["parts"] : [];
  const lines = parts.flatMap((part: unknown) => {
    if (!isObject(part)) return [];
    if (part["type"] === "text") return [toText(part["text"])];
    if (part["type"] === "reasoning") return [`(thinking) ${toText(part["text"])}`];
    return [`calls ${toText(part["tool"])} ${toText(part["input"] ?? part["text"])}`];
  });
  return lines.join("\n");
}

function describeEnd({ result, status }: Run): Part[] {
  if (result === null) return ["", `It has not ended: ${status}.`];
  return [
    ...(result.text === "" ? [] : section("RESULT", result.text)),
    ...(result.output === undefined ? [] : section("OUTPUT", JSON.stringify(result.output))),
    "",
    `${status} after ${formatDuration(result.durationMs)}, ${formatNumberOf(result.turns, "turn")}`,
    ...(result.failure === undefined ? [] : explainFailure(result.failure)),
    ...result.warnings.map((warning) => `warning: ${cleanLine(nameFlags(warning))}`),
  ];
}

function section(title: string, text: string): Part[] {
  return ["", cleanLine(title), { prose: cleanLines(text) }];
}

function cleanLines(text: string): string[] {
  return cleanText(text).trimEnd().split("\n");
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (margin + line).trimEnd());
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
