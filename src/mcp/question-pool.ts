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
  /** Aborted when nobody needs the answer any more. */
  signal: AbortSignal;
}

/** The open questions of a server. Whoever can put one to a client does, and brings the answer here. */
export interface QuestionPool {
  /** Resolves with the client's response, which may be anything; rejects when `signal` aborts or nobody can be asked. */
  ask(question: Omit<Question, "key">): Promise<unknown>;
  /** Those that nobody holds. */
  open(isWanted: (question: Question) => boolean): Question[];
  /** Takes a question out of `open` while a client is asked; `false` when it is gone or held. */
  hold(key: string): boolean;
  /** Gives it back unanswered. */
  release(key: string): void;
  answer(key: string, response: unknown): void;
  fail(key: string, error: Error): void;
  /** Resolves at the next change of what is open. */
  changed(): Promise<void>;
  /** Makes those who wait for a change look again. */
  poke(): void;
}

interface Entry {
  question: Question;
  isHeld: boolean;
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
      entries.set(key, { question: { ...rest, key, signal }, isHeld: false, resolve, reject });
      poke();
      return await promise.finally(() => signal.removeEventListener("abort", stop));
    },
    open: (isWanted) =>
      [...entries.values()]
        .filter(({ isHeld, question }) => !isHeld && isWanted(question))
        .map(({ question }) => question),
    hold(key) {
      const entry = entries.get(key);
      if (entry === undefined || entry.isHeld) return false;
      entry.isHeld = true;
      return true;
    },
    release(key) {
      const entry = entries.get(key);
      if (entry !== undefined) entry.isHeld = false;
      poke();
    },
    answer: (key, response) => take(key)?.resolve(response),
    fail: (key, error) => take(key)?.reject(error),
    changed: () => next.promise,
    poke,
  };
}
