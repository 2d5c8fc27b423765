import { cleanLine } from "../terminal/clean-text.ts";
import { describeBoardChange } from "./describe-board-change.ts";
import { formatTime } from "./format-value.ts";
import { describeModelChange, describeRaise, type RunEvent } from "../../host.ts";

/** Formats an event of a journal as one line. */
export function formatEvent(event: RunEvent): string {
  const { seq, at, type } = event;
  const details = cleanLine(describeEvent(event));
  return `${String(seq).padStart(4)}  ${formatTime(at)}  ${type.padEnd(22)}  ${details}`.trimEnd();
}

function describeEvent(event: RunEvent): string {
  switch (event.type) {
    case "run-created":
      return `${event.spec.agent}: ${event.spec.task}`;
    case "run-started":
      return `process ${event.owner}`;
    case "step-started":
      return `${event.key}: ${event.title}`;
    case "step-finished":
      return `${event.key} (${event.durationMs} ms): ${JSON.stringify(event.value)}`;
    case "approval-requested":
      return `${event.request.title} (${event.request.reason})`;
    case "approval-answered":
      return `${event.stepKey}: ${JSON.stringify(event.answer)}`;
    case "model-retried":
      return `${event.key}, attempt ${event.attempt}, after ${event.delayMs} ms: ${event.reason}`;
    case "model-changed":
      return `${event.key}: ${describeModelChange(event)}: ${event.message}`;
    case "request-started":
      return `${event.key}, at most ${event.reserved.tokens} tokens`;
    case "request-failed": {
      const { inputTokens, outputTokens } = event.usage;
      const tokens = `${inputTokens + outputTokens} tokens`;
      return `${event.key} took ${event.isEstimate ? "about " : ""}${tokens} and gave no reply`;
    }
    case "conversation-compacted":
      return `${event.removedCharacters} characters before turn ${event.turn}`;
    case "files-recorded":
      return `${event.commit} at ${event.remote}`;
    case "warning-raised":
      return event.message;
    case "dependencies-settled":
      return "";
    case "message-queued":
      return `${event.message.id} from ${event.message.from}: ${event.message.text}`;
    case "messages-delivered":
      return `${event.messages.map(({ id }) => id).join(", ")} before ${event.step}`;
    case "results-collected":
    case "children-awaited":
      return event.runIds.join(", ");
    case "board-changed":
      return `change ${event.number} by ${event.key}: ${describeBoardChange(event.change)}`;
    case "attempt-failed":
      return `attempt ${event.attempt}: ${event.failure.message}`;
    case "result-reused":
      return `of ${event.from}`;
    case "cancel-requested":
      return `by ${event.by}: ${event.reason}`;
    case "limits-raised":
      return `by ${event.by}: ${describeRaise(event.raise)}`;
    case "run-finished":
      return `${event.result.status}: ${event.result.failure?.message ?? event.result.text}`;
  }
}
