import { cleanLine, firstLine } from "../terminal/clean-text.ts";
import { cutText } from "../terminal/text-width.ts";
import { formatDuration } from "./format-value.ts";
import { formatProgress } from "./progress-line.ts";
import { runName } from "./tree-line.ts";
import { describeApproval, readRecordedOutcome, type Run, type RunEvent } from "../../host.ts";

const longest = 160;

/** Formats an event as lines of a log: starts, ends, problems, tool calls, why calls failed, and the agent's texts. */
export function formatLog(event: RunEvent, run: Run, elapsedMs: number): string[] {
  const line = formatProgress(event, run, elapsedMs);
  if (line !== undefined) return [line];
  const time = formatDuration(elapsedMs).padStart(7);
  const start = `${time}  ${"  ".repeat(run.depth)}`;
  return describeWork(event).map(
    (text) => `${start}${cutText(cleanLine(`${runName(run)} ${text}`), longest)}`,
  );
}

function describeWork(event: RunEvent): string[] {
  if (event.type === "step-started") return [`calls ${event.title}`];
  if (event.type === "approval-answered")
    return [`was answered: ${describeApproval(event.answer)}`];
  if (event.type !== "step-finished") return [];
  if (event.kind === "tool") return describeFailedCall(event.value);
  if (event.kind !== "model") return [];
  return textsOf(event.value).map((text) => `says: ${firstLine(text)}`);
}

/** Says why a call failed; nothing for another call. */
function describeFailedCall(value: unknown): string[] {
  const { isError, text } = readRecordedOutcome(value);
  return isError ? [`got an error: ${firstLine(text)}`] : [];
}

/** Returns the texts of a recorded reply. Journals are untrusted: parts of another shape are omitted. */
function textsOf(value: unknown): string[] {
  const parts: unknown = (value as { parts?: unknown } | null)?.parts;
  if (!Array.isArray(parts)) return [];
  return (parts as { type?: unknown; text?: unknown }[])
    .filter(({ type }) => type === "text")
    .flatMap(({ text }) => (typeof text === "string" && text.trim() !== "" ? [text.trim()] : []));
}
