import type { Registry } from "../../registry/registry.ts";

/** Wakes the reader of a stream. */
export interface Wake {
  /** Signals that there is news. */
  call(): void;
  /** Resolves at the next call, at a change by another process, or when the stream is to end. */
  called(): Promise<void>;
  /**
   * Reports whether another process may have changed the registry since the last call of this function. The first call returns
   * true.
   */
  isOutdated(): boolean;
  /** Reports whether there may be runs that this process does not know: at the beginning, and when another process writes. */
  isForeign(): boolean;
  /** Throws when the stream is to end. */
  throwIfAborted(): void;
  stop(): void;
}

/** Creates the wake-up of one reader. `signal` ends its stream. */
export function createWake(
  registry: Pick<Registry, "changed">,
  signal: AbortSignal | undefined,
): Wake {
  const stopping = new AbortController();
  let next = Promise.withResolvers<void>();
  let failure: { error: unknown } | undefined;
  let changes = 1;
  let seen = 0;
  let hasWaited = false;
  const call = (): void => next.resolve();
  signal?.addEventListener("abort", call, { once: true });

  /** Each wait begins before the registry is read again, so no change is missed. */
  async function listen(): Promise<void> {
    try {
      for (;;) {
        await registry.changed(stopping.signal);
        if (stopping.signal.aborted) return;
        changes += 1;
        call();
      }
    } catch (error) {
      failure = { error };
      call();
    }
  }
  void listen();

  function throwIfAborted(): void {
    signal?.throwIfAborted();
    if (failure !== undefined) throw failure.error;
  }

  return {
    call,
    throwIfAborted,
    async called() {
      await next.promise;
      hasWaited = true;
      next = Promise.withResolvers<void>();
      throwIfAborted();
    },
    isOutdated() {
      const isOutdated = changes !== seen;
      seen = changes;
      return isOutdated;
    },
    isForeign: () => changes > 1 || !hasWaited,
    stop() {
      stopping.abort();
      signal?.removeEventListener("abort", call);
    },
  };
}
