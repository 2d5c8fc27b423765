// Questions of runs to MCP clients.

import { randomUUID } from "node:crypto";
import type {
  CreateMessageRequestParams,
  ElicitRequestFormParams,
} from "@modelcontextprotocol/server";

/** A request to a client: for its user's answer or its model's reply. */
export type HostRequest =
  | { method: "elicitation/create"; params: ElicitRequestFormParams }
  | { method: "sampling/createMessage"; params: CreateMessageRequestParams };

/** A question of a run to a client. */
export interface ClientQuestion {
  key: string;
  /** The client of the run. */
  client: string;
  /** The root of the run's family; `null` when the run is unknown. */
  rootId: string | null;
  request: HostRequest;
  /** Aborts when no answer is needed, because another client answered or the run has ended. */
  signal: AbortSignal;
}

/** The open questions of a server. Each connected client may be asked; the first answer is used. */
export interface QuestionPool {
  /** Resolves with the client's unchecked response; rejects when `signal` aborts or no client can be asked. */
  ask(question: Omit<ClientQuestion, "key">): Promise<unknown>;
  /** Returns the wanted questions without an answer. */
  open(isWanted: (question: ClientQuestion) => boolean): ClientQuestion[];
  answer(key: string, response: unknown): void;
  fail(key: string, error: Error): void;
  /** Resolves at the next change of the open questions. */
  changed(): Promise<void>;
  /** Wakes all callers that wait for a change. */
  poke(): void;
}

interface Entry {
  question: ClientQuestion;
  settled: AbortController;
  resolve: (response: unknown) => void;
  reject: (error: Error) => void;
}

/** Creates an empty pool. */
export function createQuestionPool(): QuestionPool {
  const entries = new Map<string, Entry>();
  let next = Promise.withResolvers<void>();

  function poke(): void {
    next.resolve();
    next = Promise.withResolvers();
  }

  function take(key: string): Entry | undefined {
    const entry = entries.get(key);
    entries.delete(key);
    entry?.settled.abort();
    poke();
    return entry;
  }

  return {
    async ask({ signal, ...rest }) {
      signal.throwIfAborted();
      const key = randomUUID();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const stop = (): void => take(key)?.reject(signal.reason as Error);
      signal.addEventListener("abort", stop, { once: true });
      const settled = new AbortController();
      const question = { ...rest, key, signal: settled.signal };
      entries.set(key, { question, settled, resolve, reject });
      poke();
      return await promise.finally(() => signal.removeEventListener("abort", stop));
    },
    open: (isWanted) =>
      [...entries.values()].map(({ question }) => question).filter((one) => isWanted(one)),
    answer: (key, response) => take(key)?.resolve(response),
    fail: (key, error) => take(key)?.reject(error),
    changed: () => next.promise,
    poke,
  };
}
