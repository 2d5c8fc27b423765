// Requests to models: retries, streams, stalls, errors, and reading the reply.

import { systemClock } from "../../clock.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import { finalError, type Attempted } from "./model-failure.ts";
import type { ModelProblem } from "./model-problem.ts";
import { type Attempt, attemptRequest, type RequestOptions } from "./attempt-request.ts";
import { maxRetryAfterMs } from "./retry-after.ts";
import { sleep as sleepFor } from "./sleep.ts";

/** An imminent retry. */
export interface ModelRetry {
  /** The attempt that failed, from 1. */
  attempt: number;
  delayMs: number;
  reason: string;
}

/** Calls `send` at most once, when the request may be made. `maxOutputTokens` bounds the answer further. */
export type Admit = (send: (maxOutputTokens?: number) => Promise<Attempt>) => Promise<Attempt>;

/** The options of {@link askModel}. */
export interface AskOptions extends RequestOptions {
  /**
   * Admits each attempt, possibly after a wait and with a smaller limit on the answer. Receives the outcome with its usage.
   * Default: every attempt starts at once.
   */
  admit?: Admit;
  /** Called before each wait. The answer starts over after it. Must not throw. */
  onRetry?: (retry: ModelRetry) => void;
  /** The number of further attempts after a transient failure. Default 5. */
  retries?: number;
  /** Waits `delayMs`; rejects when `signal` aborts. Default: waits for `clock`. */
  sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  random?: () => number;
}

const firstDelayMs = 500;
const maxDelayMs = 30_000;

/**
 * Sends a request to a model and returns its reply. Transient failures are retried with exponential back-off and full jitter from
 * 0.5 to 30 seconds, on top of the provider's `Retry-After`. A stalled, broken or rate-limited attempt is transient. Each attempt
 * may be billed.
 *
 * @throws CadreError `model-unavailable` (refused key, unknown model) or `model-error` (everything else) with
 * `details: { kind, status, attempts }`. `kind` is `context-overflow` when the conversation is too long for the model.
 */
export async function askModel(
  model: Model,
  request: ModelRequest,
  options: AskOptions,
): Promise<ModelReply> {
  const { signal, retries = 5, admit = atOnce, clock = systemClock } = options;
  const { sleep = (delayMs) => sleepFor(delayMs, { clock, signal }) } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const { reply, problem } = await admit((maxOutputTokens) => {
      const bounded = maxOutputTokens === undefined ? request : { ...request, maxOutputTokens };
      return attemptRequest(model, bounded, options);
    });
    if (reply !== undefined) return reply;
    if (problem === undefined) throw signal.reason as Error;
    const attempted: Attempted = { problem, attempts: attempt };
    const isTooLong = (problem.retryAfterMs ?? 0) > maxRetryAfterMs;
    if (!problem.isRetryable || isTooLong || attempt > retries) throw finalError(model, attempted);
    const delayMs = delayAfter(problem, attempt, options.random ?? Math.random);
    options.onRetry?.({ attempt, delayMs, reason: `${problem.kind}: ${problem.text}` });
    await sleep(delayMs, signal);
  }
}

function delayAfter(problem: ModelProblem, attempt: number, random: () => number): number {
  const limit = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1));
  // Adds jitter to the requested wait, so that refused clients do not all return at the same moment.
  return Math.round((problem.retryAfterMs ?? 0) + random() * limit);
}

const atOnce: Admit = (send) => send();
