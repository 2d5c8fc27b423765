import { orAbort } from "../../source/or-abort.ts";

/** Starts runs that must not overlap one after another, in order of arrival. */
export interface Sequences {
  /**
   * Waits until every earlier run of `scope` has left. The returned function leaves the sequence. Rejects when `signal` aborts.
   */
  enter(scope: string, signal: AbortSignal): Promise<() => void>;
}

/** Creates the sequences of one process. */
export function createSequences(): Sequences {
  const tails = new Map<string, Promise<void>>();
  return {
    async enter(scope, signal) {
      const before = tails.get(scope);
      const { promise: left, resolve: leave } = Promise.withResolvers<void>();
      // The next run waits for all runs before it, even for one that stopped waiting.
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
