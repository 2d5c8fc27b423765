/** Answers one request in place of the network. */
export type Respond = (
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit,
) => Promise<Response>;

/** A `fetch` whose single requests can be answered by other code. */
export interface InterceptedFetch {
  fetch: typeof globalThis.fetch;
  /** Answers the next request with `signal`, which providers' clients pass to `fetch` unchanged. */
  intercept(signal: AbortSignal, respond: Respond): void;
}

/** Creates an {@link InterceptedFetch}, which sends all other requests with `fetch`. */
export function interceptFetch(fetch: typeof globalThis.fetch): InterceptedFetch {
  const responders = new WeakMap<AbortSignal, Respond>();
  return {
    fetch(input, init = {}) {
      const { signal } = init;
      const respond = signal ? responders.get(signal) : undefined;
      if (respond === undefined || !signal) return fetch(input, init);
      responders.delete(signal);
      return respond(input, init);
    },
    intercept: (signal, respond) => void responders.set(signal, respond),
  };
}
