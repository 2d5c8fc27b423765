import { orAbort } from "../source/or-abort.ts";

/** Lets runs that must not overlap begin one after the other, in the order they came. */
export interface Sequences {
  /** Waits until every earlier run of `scope` has left; returns the way to leave. Rejects when `signal` aborts. */
  enter(scope: string, signal: AbortSignal): Promise<() => void>;
}

/** The sequences of one process. */
export function createSequences(): Sequences {
  const tails = new Map<string, Promise<void>>();
  return {
    async enter(scope, signal) {
      const before = tails.get(scope);
      const { promise: left, resolve: leave } = Promise.withResolvers<void>();
      // Whoever comes next waits for all before it, also for one that gave up while it was waiting itself.
      const tail = Promise.all([before, left]).then(() => undefined);
      tails.set(scope, tail);
      void tail.finally(() => tails.get(scope) === tail && tails.delete(scope));
      try {
        await orAbort(before ?? Promise.resolve(), signal);
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
  };
}
