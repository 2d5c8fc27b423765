import { setTimeout as wait } from "node:timers/promises";
import type { Model, ModelReply, ModelRequest } from "./model.ts";
import { finalError, type Attempted } from "./model-failure.ts";
import type { ModelProblem } from "./model-problem.ts";
import { type Attempt, attemptRequest, type RequestOptions } from "./request/attempt-request.ts";
import { longestRetryAfterMs } from "./retry-after.ts";

/** One retry, before its delay. */
export interface ModelRetry {
  /** The attempt that failed, from 1. */
  attempt: number;
  delayMs: number;
  reason: string;
}

/** Makes a request through `send`, at most once. */
export type Admit = (send: (maxOutputTokens?: number) => Promise<Attempt>) => Promise<Attempt>;

/** How to ask. */
export interface AskOptions extends RequestOptions {
  /**
   * Lets a request be made, perhaps later, and with a bound of its own for the answer; what comes back tells what it took.
   * Default: at once.
   */
  admit?: Admit;
  /** Told before each wait; the answer then begins anew. Must not throw. */
  onRetry?: (retry: ModelRetry) => void;
  /** Further attempts after a failure that may pass. Default 5. */
  retries?: number;
  /** Waits; rejects when the signal is aborted. */
  sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1. */
  random?: () => number;
}

const firstDelayMs = 500;
const longestDelayMs = 30_000;

/**
 * Asks a model and returns its reply, trying again where that may help: full-jitter exponential back-off from 0.5 to 30
 * seconds, and what the provider's `Retry-After` says.
 *
 * What a provider stalls, breaks off or turns away for now is tried again, and takes tokens each time.
 *
 * Throws CadreError `model-unavailable` (the key was refused, no such model) or `model-error` (everything else) with
 * `details: { kind, status, attempts }`; `kind` is `context-overflow` when the conversation must become shorter first.
 */
export async function askModel(
  model: Model,
  request: ModelRequest,
  options: AskOptions,
): Promise<ModelReply> {
  const { signal, retries = 5, sleep = sleepFor, admit = atOnce } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const { reply, problem } = await admit(async (maxOutputTokens) => {
      const bound = maxOutputTokens === undefined ? {} : { maxOutputTokens };
      return await attemptRequest(model, { ...request, ...bound }, options);
    });
    if (reply !== undefined) return reply;
    if (problem === undefined) throw signal.reason as Error;
    const attempted: Attempted = { problem, attempts: attempt };
    const isTooLong = (problem.retryAfterMs ?? 0) > longestRetryAfterMs;
    if (!problem.isRetryable || isTooLong || attempt > retries) throw finalError(model, attempted);
    const delayMs = delayAfter(problem, attempt, options.random ?? Math.random);
    options.onRetry?.({ attempt, delayMs, reason: `${problem.kind}: ${problem.text}` });
    await sleep(delayMs, signal);
  }
}

function delayAfter(problem: ModelProblem, attempt: number, random: () => number): number {
  const limit = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  // Jitter on top of what the provider asked for, or everybody it turned away comes back at the same moment.
  return Math.round((problem.retryAfterMs ?? 0) + random() * limit);
}

const atOnce: Admit = async (send) => await send();

async function sleepFor(delayMs: number, signal: AbortSignal): Promise<void> {
  await wait(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}
