import type { Clock } from "../../clock.ts";
import type { ReplyPart } from "../../model/model.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { awaitMessages } from "../await-messages.ts";
import type { Conclusion, Session } from "../session.ts";
import { createStructuredOutput } from "../structured-output.ts";
import { loadTaskImages } from "../task-images.ts";
import { tellMessage } from "../tell-message.ts";
import { createTranscript } from "../transcript.ts";
import { modelKey } from "../turns.ts";
import { describeLosses } from "./losses.ts";
import { type Exchange, prepareFirstPrompt } from "./prompt.ts";
import { createSeat, type RunnerPlace, type Seat } from "./seat.ts";
import { requireDone } from "./stop-reason.ts";
import { askRunner, type RunnerReply } from "./turn.ts";

/** What {@link runInRunner} needs. */
export interface RunnerOptions {
  clock: Clock;
  /** Called before the runner is started. @throws CadreError `not-trusted` */
  prepare: () => Promise<RunnerPlace>;
}

/**
 * Conducts a run of an agent whose definition names a runner: asks it, hears what it does, and asks again for what was said to the
 * run meanwhile. Like `runAgent` it holds no state that the journal does not.
 *
 * @throws RunFailed or CadreError when the runner cannot come to an answer.
 */
export async function runInRunner(session: Session, options: RunnerOptions): Promise<Conclusion> {
  for (const warning of describeLosses(session)) session.warnings.add(warning);
  const seat = createSeat(session, options);
  try {
    return await converse(session, seat, options.clock.monotonic);
  } finally {
    await seat.close();
  }
}

async function converse(session: Session, seat: Seat, now: () => number): Promise<Conclusion> {
  const { spec, inbox, steps, said, prefix } = session;
  const { outputSchema } = spec;
  const output = outputSchema && createStructuredOutput(outputSchema, spec.agent, "text");
  const images = await loadTaskImages(session);
  const replies: RunnerReply[] = [];
  const earlier: Exchange[] = [];
  const before = inbox.saidBefore(prefix).map(tellMessage);
  let waiting = [await prepareFirstPrompt(session), ...before];
  let sessionId: string | undefined;
  for (let turn = 1; ; turn += 1) {
    const key = modelKey(session, turn);
    waiting.push(...inbox.deliver(key, steps.isRecorded(key)).map(tellMessage));
    const asked = waiting.join("\n\n");
    const answer = await askRunner(session, seat, { turn, asked, earlier, images, sessionId, now });
    const { reply } = answer;
    ({ sessionId } = answer);
    replies.push(reply);
    const text = lastWords(reply.parts);
    said.text = text;
    requireDone(spec.agent, reply);
    earlier.push({ asked, answered: text });
    const verdict = output?.judgeText(text);
    waiting = verdict !== undefined && "correction" in verdict ? [verdict.correction] : [];
    if (waiting.length > 0 || (await awaitMessages(session, modelKey(session, turn + 1)))) continue;
    const result = verdict !== undefined && "value" in verdict ? { output: verdict.value } : {};
    return { ...result, text: spec.summary === false ? await transcribe(session, replies) : text };
  }
}

/** What stands behind the last call. */
function lastWords(parts: readonly ReplyPart[]): string {
  const last = parts.findLast((part) => part.type === "text");
  return last?.type === "text" ? last.text.trim() : "";
}

/** All that it said and its tools gave, in order. */
async function transcribe(
  { registry, spec }: Session,
  replies: readonly RunnerReply[],
): Promise<string> {
  const outcomes = new Map<string, string>();
  // Only what is durable can be read.
  await registry.flushed();
  for (const event of await registry.events(spec.id)) {
    if (event.type !== "step-finished" || event.kind !== "tool") continue;
    outcomes.set(event.key, (event.value as unknown as ToolOutcome).text);
  }
  const transcript = createTranscript(spec.id);
  for (const part of replies.flatMap(({ parts }) => parts)) {
    if (part.type === "text") transcript.say(part.text);
    if (part.type === "tool-call") transcript.give(part.tool, outcomes.get(part.id) ?? "");
  }
  return transcript.text();
}
