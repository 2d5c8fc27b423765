import type { Clock } from "../clock.ts";
import { createDeadline } from "../extension/deadline.ts";
import { orAbort } from "../source/or-abort.ts";

/** How long an agent that was told to stop may take to answer, in milliseconds; then it is killed. */
const stopMs = 2000;

/** What waiting needs. */
export interface Waiting {
  clock: Clock;
  signal: AbortSignal;
}

/** Waits for `answer` for `answerMs`; rejects with the reason of `signal` when that aborts. */
export async function answerWithin<Value>(
  answer: Promise<Value>,
  answerMs: number,
  { clock, signal }: Waiting,
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

/** Waits for `answer` until `signal` aborts. Then the agent is told to `stop`, and has a moment to say what it had. */
export async function answerOrStop<Value>(
  answer: Promise<Value>,
  stop: () => void,
  { clock, signal }: Waiting,
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
