import { randomUUID } from "node:crypto";
import type {
  CreateMessageRequestParams,
  ElicitRequestFormParams,
} from "@modelcontextprotocol/server";

/** What a client is asked for: an answer of its user, or of its model. */
export type HostRequest =
  | { method: "elicitation/create"; params: ElicitRequestFormParams }
  | { method: "sampling/createMessage"; params: CreateMessageRequestParams };

/** Something a run needs of a client. */
export interface Question {
  key: string;
  /** The client that the run belongs to. */
  client: string;
  /** The root of the run's family; `null` when it is not known which run asks. */
  rootId: string | null;
  request: HostRequest;
  /** Aborted when nobody needs the answer any more: somebody else gave it, or the run has ended. */
  signal: AbortSignal;
}

/** The open questions of a server. Whoever can put one to a client does, and the first answer counts. */
export interface QuestionPool {
  /** Resolves with the client's response, which may be anything; rejects when `signal` aborts or nobody can be asked. */
  ask(question: Omit<Question, "key">): Promise<unknown>;
  /** Those without an answer. */
  open(isWanted: (question: Question) => boolean): Question[];
  answer(key: string, response: unknown): void;
  fail(key: string, error: Error): void;
  /** Resolves at the next change of what is open. */
  changed(): Promise<void>;
  /** Makes those who wait for a change look again. */
  poke(): void;
}

interface Entry {
  question: Question;
  settled: AbortController;
  resolve: (response: unknown) => void;
  reject: (error: Error) => void;
}

/** An empty pool. */
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
