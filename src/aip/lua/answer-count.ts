/** The number of answers of a host, in memory that it shares with the thread that waits for them. */
export type AnswerCount = Int32Array<SharedArrayBuffer>;

/** Counts an answer, and wakes the thread that waits for it. */
export function countAnswer(count: AnswerCount): void {
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
}

/** Sleeps until there are more answers than `before`. */
export function awaitAnswer(count: AnswerCount, before: number): void {
  // The thread may see an answer before it is notified of it, and the notification may end its next sleep.
  while (Atomics.load(count, 0) === before) Atomics.wait(count, 0, before);
}
