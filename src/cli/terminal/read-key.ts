import { setTimeout as delay } from "node:timers/promises";

/** The time in milliseconds during which earlier keys are discarded, because they do not answer the question. */
const settleMs = 50;

/**
 * Calls `prompt` and waits for one key on a terminal. Restores the terminal's state. Rejects when `signal` aborts.
 */
export async function readKey(
  input: NodeJS.ReadStream,
  signal: AbortSignal,
  prompt: () => void,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let isOpen = false;
  const onData = (data: Buffer): void => {
    const [key = ""] = data.toString("utf8");
    if (isOpen || key === "\u0003") resolve(key);
  };
  const onAbort = (): void => reject(signal.reason as Error);
  const onEnd = (): void => reject(new Error("The terminal was closed."));
  input.setRawMode(true);
  input.on("data", onData);
  input.once("end", onEnd);
  input.resume();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await Promise.race([promise, delay(settleMs)]);
    isOpen = true;
    prompt();
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    input.off("data", onData);
    input.off("end", onEnd);
    input.setRawMode(false);
    input.pause();
  }
}
