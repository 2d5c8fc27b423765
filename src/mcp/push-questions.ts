import { SdkError, type ServerContext } from "@modelcontextprotocol/server";
import type { Question, QuestionPool } from "./question-pool.ts";
import { type SendRequest, sendRequest } from "./send-request.ts";

/** Which questions to put to a client, and how. */
export interface PushOptions {
  isWanted: (question: Question) => boolean;
  send: SendRequest;
  /** Stops asking; what is asked already is still answered. */
  signal: AbortSignal;
}

/** Puts questions to a client of 2025-11-25 or earlier, which takes requests of the server, until `signal` aborts. */
export async function pushQuestions(pool: QuestionPool, options: PushOptions): Promise<void> {
  const asked = new Set<string>();
  while (!options.signal.aborted) {
    const changed = pool.changed();
    for (const question of pool.open(options.isWanted)) {
      if (asked.has(question.key)) continue;
      asked.add(question.key);
      void push(pool, question, options.send);
    }
    await changed;
  }
}

/**
 * Puts questions to a client of 2025-11-25 or earlier along with the answer to its request `ctx`. Over stdio there is no need:
 * the connection is asked at any time.
 */
export function pushAlong(
  pool: QuestionPool,
  ctx: ServerContext,
  options: Omit<PushOptions, "send">,
): void {
  if (ctx.http === undefined) return;
  void pushQuestions(pool, { ...options, send: sendRequest(ctx) });
}

async function push(pool: QuestionPool, question: Question, send: SendRequest): Promise<void> {
  const { key, request, signal } = question;
  try {
    pool.answer(key, await send(request, signal));
  } catch (error) {
    // The connection broke, or somebody else was quicker. What the client itself says is final.
    if (error instanceof SdkError) return;
    pool.fail(key, error instanceof Error ? error : new Error(String(error)));
  }
}
