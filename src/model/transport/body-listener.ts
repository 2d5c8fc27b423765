/** Is notified about an arriving response. */
export interface BodyListener {
  /** A piece of the response arrived. This includes comments and pings, which providers' clients do not report. */
  dataReceived(): void;
}

/** Listeners, by the signal of their request. Providers' clients pass the signal to `fetch` unchanged. */
const listeners = new WeakMap<AbortSignal, BodyListener>();

/** Registers `listener` for the response to the request with `signal`. */
export function listenToBody(signal: AbortSignal, listener: BodyListener): void {
  listeners.set(signal, listener);
}

/** Returns the listener of the request with `signal`. */
export function bodyListenerOf(signal: AbortSignal | null): BodyListener | undefined {
  return signal === null ? undefined : listeners.get(signal);
}
