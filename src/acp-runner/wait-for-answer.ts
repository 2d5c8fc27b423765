import type { Clock } from "../clock.ts";
import { createDeadline } from "../extension/elicitation/deadline.ts";
import { orAbort } from "../source/or-abort.ts";

/** How long an agent may take to answer a cancelled prompt before it is killed, in milliseconds. */
const stopMs = 2000;

/** The clock and the signal of a wait. */
export interface AnswerWait {
  clock: Clock;
  signal: AbortSignal;
}

/** Waits for `answer` at most `answerMs`; rejects with the reason of `signal` when it aborts. */
export async function answerWithin<Value>(
  answer: Promise<Value>,
  answerMs: number,
  { clock, signal }: AnswerWait,
): Promise<Value> {
  const deadline = createDeadline(clock, answerMs);
  try {
    return await orAbort(answer, AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    if (!deadline.signal.aborted || signal.aborted) throw error;
    throw new Error(`it did not answer within ${Math.round(answerMs / 1000)} s`, { cause: error });
  } finally {
    deadline.stop();
  }
}

/**
 * Waits for `answer` until `signal` aborts, then calls `stop` and gives the agent a moment to send its remaining output.
 */
export async function answerOrStop<Value>(
  answer: Promise<Value>,
  stop: () => void,
  { clock, signal }: AnswerWait,
): Promise<Value> {
  try {
    return await orAbort(answer, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    stop();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = clock.schedule(stopMs, resolve);
    await Promise.race([answer.catch(() => undefined), late]);
    cancel();
    throw error;
  }
}
