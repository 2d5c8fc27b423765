import { setTimeout as wait } from "node:timers/promises";
import { collectStream, type ProviderResult } from "./collect-stream.ts";
import type { Model, ModelReply, ModelRequest } from "./model.ts";
import { accessOf, hideSecrets } from "./model-access.ts";
import { finalError, type Attempted } from "./model-failure.ts";
import { readProblem, type ModelProblem } from "./model-problem.ts";
import { prepareCall } from "./prepare-call.ts";
import { costOf } from "./price.ts";
import { longestRetryAfterMs } from "./retry-after.ts";
import { readReply } from "./read-reply.ts";

/** One retry, before its delay. */
export interface ModelRetry {
  /** The attempt that failed, from 1. */
  attempt: number;
  delayMs: number;
  reason: string;
}

/** How to ask. */
export interface AskOptions {
  /** Ends the request and every wait at once; the call then rejects with the signal's reason. */
  signal: AbortSignal;
  /** Whether to stream. Costs several times the CPU: stream only when somebody watches. */
  stream: boolean;
  /** The next piece of text, when streaming. After `onRetry` the answer begins anew. Must not throw. */
  onDelta?: (text: string) => void;
  /** A sign of life from the provider. Must not throw. */
  onSign?: () => void;
  /** Told before each wait. Must not throw. */
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
 * Throws CadreError `model-unavailable` (the key was refused, no such model) or `model-error` (everything else) with
 * `details: { kind, status, attempts }`; `kind` is `context-overflow` when the conversation must become shorter first.
 */
export async function askModel(
  model: Model,
  request: ModelRequest,
  options: AskOptions,
): Promise<ModelReply> {
  const { signal, retries = 5, sleep = sleepFor } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = await attemptOnce(model, request, options);
    if ("reply" in answer) return answer.reply;
    const { problem } = answer;
    const attempted: Attempted = { problem, attempts: attempt };
    const isTooLong = (problem.retryAfterMs ?? 0) > longestRetryAfterMs;
    if (!problem.isRetryable || isTooLong || attempt > retries) throw finalError(model, attempted);
    const delayMs = delayAfter(problem, attempt, options.random ?? Math.random);
    options.onRetry?.({ attempt, delayMs, reason: `${problem.kind}: ${problem.text}` });
    await sleep(delayMs, signal);
  }
}

async function attemptOnce(
  model: Model,
  request: ModelRequest,
  options: AskOptions,
): Promise<{ reply: ModelReply } | { problem: ModelProblem }> {
  try {
    const read = readReply(await call(model, request, options), request);
    if ("reply" in read) {
      return { reply: { ...read.reply, cost: costOf(read.reply.usage, model.price) } };
    }
    const { problem: kind, text } = read;
    return { problem: { kind, text, status: null, isRetryable: true, retryAfterMs: null } };
  } catch (error) {
    options.signal.throwIfAborted();
    const problem = readProblem(error);
    // Some servers repeat the key they refuse; from here on it goes into journals and messages.
    return { problem: { ...problem, text: hideSecrets(problem.text, accessOf(model).secrets) } };
  }
}

async function call(
  model: Model,
  request: ModelRequest,
  options: AskOptions,
): Promise<ProviderResult> {
  const { language } = model;
  const { signal } = options;
  const prepared = { ...prepareCall(language, request), abortSignal: signal };
  if (!options.stream) {
    const result = await language.doGenerate(prepared);
    signal.throwIfAborted();
    options.onSign?.();
    return result;
  }
  const { stream } = await language.doStream(prepared);
  return await collectStream(stream, signal, options);
}

function delayAfter(problem: ModelProblem, attempt: number, random: () => number): number {
  const limit = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  // Jitter on top of what the provider asked for, or everybody it turned away comes back at the same moment.
  return Math.round((problem.retryAfterMs ?? 0) + random() * limit);
}

async function sleepFor(delayMs: number, signal: AbortSignal): Promise<void> {
  await wait(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}
