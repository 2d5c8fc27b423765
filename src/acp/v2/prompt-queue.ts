import { RequestError } from "@agentclientprotocol/sdk";

/** A queue of prompts for each session. */
export interface PromptQueue {
  /**
   * Executes `turn` when the earlier turns have ended. Resolves with the id that `turn` reports when its prompt is part of the
   * conversation.
   *
   * @throws RequestError `-32800` when the prompt was cancelled before.
   */
  add(
    sessionId: string,
    signal: AbortSignal,
    turn: (onBegun: (id: string) => void) => Promise<unknown>,
  ): Promise<string>;
  /** Cancels the waiting prompts of a session. */
  cancel(sessionId: string): void;
}

/** Creates an empty queue. `idle` resolves when a session has no turn in progress. */
export function createPromptQueue(idle: (sessionId: string) => Promise<void>): PromptQueue {
  /** The end of the last prompt of each session. */
  const last = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Set<AbortController>>();

  return {
    async add(sessionId, signal, turn) {
      const cancelling = new AbortController();
      const ofSession = waiting.get(sessionId) ?? new Set();
      waiting.set(sessionId, ofSession.add(cancelling));
      const begun = Promise.withResolvers<string>();
      const cancelled = AbortSignal.any([signal, cancelling.signal]);
      const cancel = (): void => begun.reject(RequestError.requestCancelled());
      cancelled.addEventListener("abort", cancel, { once: true });
      const before = last.get(sessionId);
      const execute = async (): Promise<void> => {
        await before;
        await idle(sessionId);
        ofSession.delete(cancelling);
        if (!cancelled.aborted) await turn(begun.resolve);
      };
      const ended = execute().catch(begun.reject);
      last.set(sessionId, ended);
      const forget = (): void => {
        ofSession.delete(cancelling);
        if (last.get(sessionId) === ended) last.delete(sessionId);
      };
      void ended.finally(forget);
      return await begun.promise.finally(() => cancelled.removeEventListener("abort", cancel));
    },
    cancel(sessionId) {
      for (const one of waiting.get(sessionId) ?? []) one.abort();
    },
  };
}
