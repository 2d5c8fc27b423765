/** By the signal of their request, which providers' clients hand on to `fetch` as it is. */
const listeners = new WeakMap<AbortSignal, () => void>();

/**
 * Has `listener` called for each piece of a response's body that arrives for the request with `signal`. Comments and pings,
 * which keep a connection alive, never get past a provider's client; they are heard here.
 */
export function listenToBody(signal: AbortSignal, listener: () => void): void {
  listeners.set(signal, listener);
}

/** The listener of the request with `signal`. */
export function bodyListenerOf(signal: AbortSignal | null): (() => void) | undefined {
  return signal === null ? undefined : listeners.get(signal);
}
