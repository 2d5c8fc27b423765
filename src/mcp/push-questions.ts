import { SdkError } from "@modelcontextprotocol/server";
import type { HostRequest, Question, QuestionPool } from "./question-pool.ts";

/** Sends a request to the client and waits for its response. */
export type SendRequest = (request: HostRequest, signal: AbortSignal) => Promise<unknown>;

/** Which questions to put to a client, and how. */
export interface PushOptions {
  isWanted: (question: Question) => boolean;
  send: SendRequest;
  /** Stops asking; what is asked already is still answered. */
  signal: AbortSignal;
}

/** Puts questions to a client of 2025-11-25 or earlier, which takes requests of the server, until `signal` aborts. */
export async function pushQuestions(pool: QuestionPool, options: PushOptions): Promise<void> {
  while (!options.signal.aborted) {
    const changed = pool.changed();
    for (const question of pool.open(options.isWanted)) {
      if (pool.hold(question.key)) void push(pool, question, options.send);
    }
    await changed;
  }
}

async function push(pool: QuestionPool, question: Question, send: SendRequest): Promise<void> {
  const { key, request, signal } = question;
  try {
    pool.answer(key, await send(request, signal));
  } catch (error) {
    // The connection broke: somebody else may bring an answer. What the client itself says is final.
    if (error instanceof SdkError) pool.release(key);
    else pool.fail(key, error instanceof Error ? error : new Error(String(error)));
  }
}
