import { cleanLine, firstLine } from "../terminal/clean-text.ts";
import { resultLine } from "./result-line.ts";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "./format-value.ts";
import { cutText } from "../terminal/text-width.ts";
import { runName, titleOf } from "./tree-line.ts";
import { nameFlags } from "../arguments/name-flags.ts";
import { shortRunId } from "../../short-run-id.ts";
import { describeBoardChange } from "./describe-board-change.ts";
import {
  describeModelChange,
  describeRaise,
  type Run,
  type RunEvent,
  type RunResult,
} from "../../host.ts";

const longest = 160;

/**
 * Formats an event as one line of a log, `elapsedMs` after the log began; `undefined` for the many events that logs omit.
 */
export function formatProgress(event: RunEvent, run: Run, elapsedMs: number): string | undefined {
  const text = describeEvent(event, run);
  if (text === undefined) return undefined;
  const time = formatDuration(elapsedMs).padStart(7);
  const indent = "  ".repeat(run.depth);
  return `${time}  ${indent}${cutText(cleanLine(`${runName(run)} ${text}`), longest)}`;
}

function describeEvent(event: RunEvent, run: Run): string | undefined {
  switch (event.type) {
    case "run-started":
      return `${run.attempts > 1 ? "resumed" : "started"}${describeBefore(run)}: ${firstLine(titleOf(run))}`;
    case "run-finished":
      return describeEnd(event.result);
    case "model-retried":
      return `retries the model (attempt ${event.attempt}): ${event.reason}`;
    case "model-changed":
      return describeModelChange(event);
    case "warning-raised":
      return `warning: ${nameFlags(event.message)}`;
    case "approval-requested":
      return `needs approval: ${event.request.title}`;
    case "cancel-requested":
      return `is being cancelled: ${event.reason}`;
    case "limits-raised":
      return `gets higher limits: ${describeRaise(event.raise)}`;
    case "attempt-failed":
      return `starts again after attempt ${event.attempt}: ${event.failure.message}`;
    case "result-reused":
      return `is answered from the cache: the result of ${event.from}`;
    case "messages-delivered":
      return `reads ${formatNumberOf(event.messages.length, "message")}: ${event.messages.map(({ from }) => from).join(", ")}`;
    case "board-changed":
      return describeBoardChange(event.change);
    case "step-started":
      return describeTodos(event.title);
    case "run-created":
    case "dependencies-settled":
    case "message-queued":
    case "results-collected":
    case "children-awaited":
    case "step-finished":
    case "approval-answered":
    case "request-started":
    case "request-failed":
    case "conversation-compacted":
    case "files-recorded":
      return undefined;
  }
}

function describeBefore({ continues }: Run): string {
  return continues === undefined ? "" : ` [continues ${shortRunId(continues)}]`;
}

/** Describes a change of the todo list, whose title says how many items are done. */
function describeTodos(title: string): string | undefined {
  const [, todos] = /^TodoWrite (.+)$/s.exec(title) ?? [];
  return todos === undefined ? undefined : `has todos: ${todos}`;
}

/** Describes the end of a run, with the figures of its family. */
function describeEnd(result: RunResult): string {
  const { runs, turns, usage, cost, status, durationMs, failure } = result;
  const spent = [
    formatDuration(durationMs),
    ...(runs === 1 ? [] : [formatNumberOf(runs, "run")]),
    formatNumberOf(turns, "turn"),
    `${formatCount(usage.inputTokens + usage.outputTokens)} tokens`,
    cost === null ? "cost unknown" : formatCost(cost),
  ];
  const text = failure === undefined ? resultLine(result) : nameFlags(failure.message);
  return `${status} (${spent.join(", ")})${text === "" ? "" : `: ${text}`}`;
}
