import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "../error-message.ts";

/**
 * Calls `work` repeatedly, with a pause of `pauseMs` after each call. Notes the first of several consecutive failures. Returns
 * the function that stops the calls.
 */
export function repeat(
  pauseMs: number,
  work: () => Promise<void>,
  onNote: (line: string) => void,
): () => Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  let lastMessage = "";
  async function once(): Promise<void> {
    try {
      await work();
      lastMessage = "";
    } catch (error) {
      const message = errorMessage(error);
      if (message !== lastMessage && !signal.aborted) onNote(message);
      lastMessage = message;
    }
  }
  async function go(): Promise<void> {
    while (!signal.aborted) {
      await once();
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
  const going = go();
  return async () => {
    over.abort();
    await going;
  };
}
