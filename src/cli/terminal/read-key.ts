import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds in which keys typed before the question are discarded: they do not answer it. */
const settleMs = 50;

/**
 * Waits for one key on a terminal, after calling `prompt`; rejects when `signal` aborts. Restores the state of the
 * terminal.
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
