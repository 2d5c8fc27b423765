import { cleanLine, firstLine } from "./clean-text.ts";
import { resultLine } from "./result-line.ts";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "./format-value.ts";
import { cutText } from "./text-width.ts";
import { nameOf, titleOf } from "./tree-line.ts";
import { nameFlags } from "./wording/name-flags.ts";
import type { Run, RunEvent, RunResult } from "../index.ts";

const longest = 160;

/**
 * What a log says about an event, in one line, or `undefined` for the many it passes over, `elapsedMs`
 * after the log began.
 */
export function formatProgress(event: RunEvent, run: Run, elapsedMs: number): string | undefined {
  const said = describeEvent(event, run);
  if (said === undefined) return undefined;
  const time = formatDuration(elapsedMs).padStart(7);
  const indent = "  ".repeat(run.depth);
  return `${time}  ${indent}${cutText(cleanLine(`${nameOf(run)} ${said}`), longest)}`;
}

function describeEvent(event: RunEvent, run: Run): string | undefined {
  switch (event.type) {
    case "run-started":
      return `${run.attempts > 1 ? "resumed" : "started"}: ${firstLine(titleOf(run))}`;
    case "run-finished":
      return describeEnd(event.result);
    case "model-retried":
      return `retries the model (attempt ${event.attempt}): ${event.reason}`;
    case "warning-raised":
      return `warning: ${nameFlags(event.message)}`;
    case "approval-requested":
      return `needs approval: ${event.request.title}`;
    case "cancel-requested":
      return `is being cancelled: ${event.reason}`;
    case "attempt-failed":
      return `begins anew after attempt ${event.attempt}: ${event.failure.message}`;
    case "result-reused":
      return `is answered from the cache: the result of ${event.from}`;
    case "messages-delivered":
      return `reads ${formatNumberOf(event.messages.length, "message")}: ${event.messages.map(({ from }) => from).join(", ")}`;
    case "run-created":
    case "dependencies-settled":
    case "message-queued":
    case "results-collected":
    case "children-awaited":
    case "step-started":
    case "step-finished":
    case "approval-answered":
    case "request-started":
    case "request-failed":
    case "conversation-compacted":
      return undefined;
  }
}

/** How a run ended, with what it and all below it took. */
function describeEnd(result: RunResult): string {
  const { runs, turns, usage, cost, status, durationMs, failure } = result;
  const spent = [
    formatDuration(durationMs),
    ...(runs === 1 ? [] : [formatNumberOf(runs, "run")]),
    formatNumberOf(turns, "turn"),
    `${formatCount(usage.inputTokens + usage.outputTokens)} tokens`,
    cost === null ? "cost unknown" : formatCost(cost),
  ];
  const said = failure === undefined ? resultLine(result) : nameFlags(failure.message);
  return `${status} (${spent.join(", ")})${said === "" ? "" : `: ${said}`}`;
}
