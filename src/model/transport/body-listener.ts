/** Listeners by the signal of their request, which providers' clients pass to `fetch` unchanged. */
const listeners = new WeakMap<AbortSignal, () => void>();

/**
 * Calls `listener` for each received piece of the response to the request with `signal`. This includes comments and
 * pings, which providers' clients do not report.
 */
export function listenToBody(signal: AbortSignal, listener: () => void): void {
  listeners.set(signal, listener);
}

/** Returns the listener of the request with `signal`. */
export function bodyListenerOf(signal: AbortSignal | null): (() => void) | undefined {
  return signal === null ? undefined : listeners.get(signal);
}
