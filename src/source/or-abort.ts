/** Waits for `work`; rejects with the signal's reason when `signal` has aborted or aborts first. */
export async function orAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    // Its failure has no other reader.
    work.catch(() => undefined);
    signal.throwIfAborted();
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
