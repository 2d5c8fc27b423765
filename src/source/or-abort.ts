/** Waits for `work`. Rejects with the signal's reason when `signal` has aborted or aborts first. */
export async function orAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    // Nothing else handles its failure.
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
