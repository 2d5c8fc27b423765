import { SdkError, type ServerContext } from "@modelcontextprotocol/server";
import type { ClientQuestion, QuestionPool } from "./question-pool.ts";
import { type SendRequest, sendRequest } from "./send-request.ts";

/** Options of {@link pushQuestions}. */
export interface PushOptions {
  isWanted: (question: ClientQuestion) => boolean;
  send: SendRequest;
  /** Stops new questions. Open questions can still be answered. */
  signal: AbortSignal;
}

/** Sends questions as server requests to a client of 2025-11-25 or earlier until `signal` aborts. */
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
 * Sends questions to a client of 2025-11-25 or earlier on the response to its request `ctx`. A stdio connection does not need this,
 * because it accepts requests at any time.
 */
export function pushAlong(
  pool: QuestionPool,
  ctx: ServerContext,
  options: Omit<PushOptions, "send">,
): void {
  if (ctx.http === undefined) return;
  void pushQuestions(pool, { ...options, send: sendRequest(ctx) });
}

async function push(
  pool: QuestionPool,
  question: ClientQuestion,
  send: SendRequest,
): Promise<void> {
  const { key, request, signal } = question;
  try {
    pool.answer(key, await send(request, signal));
  } catch (error) {
    // The connection broke, or another client answered first. A reply from the client itself is final.
    if (error instanceof SdkError) return;
    pool.fail(key, error instanceof Error ? error : new Error(String(error)));
  }
}
