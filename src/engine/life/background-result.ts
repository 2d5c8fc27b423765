import { answerOf } from "../../run/answer.ts";
import type { Message } from "../../run/message.ts";
import type { RunResult } from "../../run/result.ts";
import type { RunSpec } from "../../run/run.ts";

/** The maximum length of a result that is delivered unasked, in characters. */
const longest = 16_000;

/** Returns the message that delivers the result of a background run to its parent. */
export function toResultMessage(
  spec: Pick<RunSpec, "id" | "agent" | "label">,
  result: Pick<RunResult, "status" | "text" | "failure" | "output">,
): Message {
  const { id, agent, label } = spec;
  const { status, failure } = result;
  const name = label === null ? `${agent} (run ${id})` : `${label} (agent ${agent}, run ${id})`;
  const ended = failure === undefined ? status : `${status}, ${failure.code}: ${failure.message}`;
  const text = answerOf(result);
  const shortened =
    text.length <= longest
      ? text
      : `${text.slice(0, longest)}\n\n[Cut: ${text.length - longest} more characters. Get the whole with context_get {"runId": "${id}"}.]`;
  return {
    id,
    kind: "result",
    from: name,
    text: `[The background run ${name} has ended: ${ended}]${shortened === "" ? "" : `\n\n${shortened}`}`,
  };
}
