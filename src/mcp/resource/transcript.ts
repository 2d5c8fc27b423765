import {
  describeApproval,
  describeModelChange,
  describeRaise,
  describeTodos,
  plainLine,
  plainText,
  type Run,
  type RunEvent,
} from "../../host.ts";

/** The maximum number of characters of a transcript. The journal has the rest. */
const maxTranscriptLength = 500_000;
const maxTitleLength = 300;

/** Formats a run as Markdown: its settings, its conversation step by step, and its result. */
export function describeTranscript(run: Run, events: readonly RunEvent[]): string {
  const { label, agent, id, status, model, task, continues } = run;
  const facts = [`agent ${agent}`, status, ...(model === null ? [] : [model])];
  const todos = describeTodos(events);
  if (continues !== undefined) facts.push(`continues run ${continues}`);
  const parts = [
    `# ${line(label ?? agent)} (${id})`,
    line(facts.join(", ")),
    section("Task", task),
    ...events.flatMap(describeEvent),
    ...(todos === undefined ? [] : [section(`Todos: ${todos.summary}`, todos.list)]),
    ...describeEnd(run),
  ];
  return shorten(parts.join("\n\n"), id);
}

function describeEvent(event: RunEvent): string[] {
  switch (event.type) {
    case "step-finished":
      return describeStep(event);
    case "step-started":
      return [`## ${line(event.title)}`];
    case "approval-requested":
      return [`Asked: ${line(event.request.title)} (${line(event.request.reason)})`];
    case "approval-answered":
      return [`Answered: ${line(describeApproval(event.answer))}`];
    case "messages-delivered":
      return event.messages.map(({ from, text }) => section(`Message from ${from}`, text));
    case "attempt-failed":
      return [`Attempt ${event.attempt} failed: ${line(event.failure.message)}`];
    case "warning-raised":
      return [`Warning: ${line(event.message)}`];
    case "cancel-requested":
      return [`Cancelled by ${line(event.by)}: ${line(event.reason)}`];
    case "limits-raised":
      return [`Limits raised by ${line(event.by)}: ${describeRaise(event.raise)}`];
    case "result-reused":
      return [`The result of ${event.from} was reused.`];
    case "model-changed":
      return [`${line(describeModelChange(event))}.`];
    case "conversation-compacted":
      return [
        `Compacted: ${event.removedCharacters} characters fewer. ${line(event.summary ?? "")}`,
      ];
    case "run-created":
    case "run-started":
    case "run-finished":
    case "model-retried":
    case "dependencies-settled":
    case "files-recorded":
    case "message-queued":
    case "request-started":
    case "request-failed":
    case "results-collected":
    case "board-changed":
    case "children-awaited":
      return [];
  }
}

function describeStep({
  kind,
  value,
  key,
}: Extract<RunEvent, { type: "step-finished" }>): string[] {
  if (kind === "tool") return [block(textOf(value))];
  if (kind === "model") return [section("Said", replyText(value))];
  return key === "instructions" ? [section("Instructions", textOf(value))] : [];
}

/** Returns the texts of a reply. Checks its shape, because the journal may come from another version of Cadre. */
function replyText(value: unknown): string {
  const parts: unknown = isObject(value) ? value["parts"] : undefined;
  if (!Array.isArray(parts)) return "";
  return parts
    .flatMap((part: unknown) => (isObject(part) && part["type"] === "text" ? [textOf(part)] : []))
    .join("\n");
}

function textOf(value: unknown): string {
  const text = isObject(value) ? value["text"] : value;
  return typeof text === "string" ? text : (JSON.stringify(value) ?? "");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function describeEnd({ result, status }: Run): string[] {
  if (result === null) return [`It has not ended: ${status}.`];
  const { text, output, failure, warnings } = result;
  return [
    section(`Result: ${status}`, text),
    ...(output === undefined ? [] : [block(JSON.stringify(output, null, 2))]),
    ...(failure === undefined ? [] : [`${failure.code}: ${line(failure.message)}`]),
    ...warnings.map((warning) => `Warning: ${line(warning)}`),
  ];
}

function section(title: string, text: string): string {
  return text.trim() === "" ? `## ${line(title)}` : `## ${line(title)}\n\n${block(text)}`;
}

/** Puts untrusted text in a fence longer than any fence inside it, so that it cannot imitate a heading. */
function block(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${plainText(text).trimEnd()}\n${fence}`;
}

function line(text: string): string {
  return plainLine(text, maxTitleLength);
}

function shorten(text: string, id: string): string {
  if (text.length <= maxTranscriptLength) return text;
  const half = maxTranscriptLength / 2;
  const note = `\n\n… ${text.length - maxTranscriptLength} characters left out; \`cadre show ${id}\` has them …\n\n`;
  return `${text.slice(0, half)}${note}${text.slice(-half)}`;
}
