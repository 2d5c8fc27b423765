import { type Clock, systemClock } from "../../clock.ts";
import { noUsage, type Usage } from "../../run/usage.ts";
import { collectStream, type ProviderResult } from "../collect-stream.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import { accessOf, hideSecrets } from "../model-access.ts";
import { type ModelProblem, readProblem } from "../model-problem.ts";
import { prepareCall } from "../prepare-call.ts";
import { costOf } from "../price.ts";
import { readReply } from "../read-reply.ts";
import { listenToBody } from "../transport/body-listener.ts";
import { estimateTokens, estimateToolTokens } from "./estimate-tokens.ts";
import { countReceived, type ReceivedTokens } from "./received-tokens.ts";
import { type RequestLimits, watchRequest } from "./request-watch.ts";

/** How to make a request. */
export interface RequestOptions {
  /** Ends the request at once. */
  signal: AbortSignal;
  /** Whether to stream. Costs several times the CPU: stream only when somebody watches, or a budget has to be kept. */
  stream: boolean;
  /** The next piece of text, when streaming. Must not throw. */
  onDelta?: (text: string) => void;
  /** How long the provider may be silent. Default: two minutes in the middle of a reply. */
  limits?: RequestLimits;
  /** About how many input tokens the request has. Default: estimated from its characters. */
  inputTokens?: number;
  clock?: Clock;
}

/** What a request took. */
export interface Spent {
  usage: Usage;
  /** US dollars; `null` when the price is unknown. */
  cost: number | null;
  /** The provider gave no count. */
  isEstimate: boolean;
}

/** What a request came to. One that was stopped has neither a reply nor a problem. */
export interface Attempt {
  reply?: ModelReply;
  problem?: ModelProblem;
  /** Absent = nothing. */
  spent?: Spent;
}

const defaultLimits: RequestLimits = { stallMs: 120_000 };

/** Asks a model once. Rejects with a CadreError for what no other attempt would change. */
export async function attemptRequest(
  model: Model,
  request: ModelRequest,
  options: RequestOptions,
): Promise<Attempt> {
  const received = countReceived();
  if (options.signal.aborted) return {};
  try {
    return readAttempt(model, request, {
      result: await send(model, request, { options, received }),
      received,
      options,
    });
  } catch (error) {
    const isStopped = options.signal.aborted;
    const problem = isStopped ? undefined : readOpenProblem(model, error);
    const isBilled = problem === undefined || mayBeBilled(problem) || received.count() > 0;
    return {
      ...(problem !== undefined && { problem }),
      ...(isBilled && { spent: estimateSpent(model, request, { options, received }) }),
    };
  }
}

/** Some servers repeat the key they refuse; from here on what they say goes into journals and messages. */
function readOpenProblem(model: Model, error: unknown): ModelProblem {
  const problem = readProblem(error);
  return { ...problem, text: hideSecrets(problem.text, accessOf(model).secrets) };
}

/** Whether the provider may have worked on the request although it gave no reply; what it refuses costs nothing. */
function mayBeBilled({ kind, isConnected }: ModelProblem): boolean {
  return kind === "stalled" || kind === "truncated" || (kind === "network" && isConnected);
}

interface Sending {
  options: RequestOptions;
  received: ReceivedTokens;
}

/** What arrives may be so much longer than the longest answer, as it is estimated, before it is cut. */
const tolerance = { factor: 1.5, tokens: 64 };

async function send(
  model: Model,
  request: ModelRequest,
  { options, received }: Sending,
): Promise<ProviderResult> {
  const { language } = model;
  const { stream: isStreamed, clock = systemClock, limits = defaultLimits } = options;
  const call = prepareCall(language, request);
  const { maxOutputTokens } = call;
  const watch = watchRequest(options.signal, { clock, limits, isStreamed, maxOutputTokens });
  const { signal } = watch;
  listenToBody(signal, watch.hear);
  const prepared = { ...call, abortSignal: signal };
  const longest = (request.maxOutputTokens ?? Infinity) * tolerance.factor + tolerance.tokens;
  try {
    if (!isStreamed) return await watch.orAbort(language.doGenerate(prepared));
    const { stream } = await watch.orAbort(language.doStream(prepared));
    return await collectStream(stream, signal, {
      onPart(part) {
        // The client makes this one up.
        if (part.type !== "stream-start") watch.hear();
        received.add(part);
        if (part.type === "text-delta") options.onDelta?.(part.delta);
      },
      isFull: () => received.count() > longest,
    });
  } finally {
    watch.stop();
  }
}

/** Reads a provider's answer: a reply, or what is wrong with it. */
function readAttempt(
  model: Model,
  request: ModelRequest,
  { result, received, options }: Sending & { result: ProviderResult },
): Attempt {
  const read = readReply(result, request);
  const isCounted = read.usage.inputTokens + read.usage.outputTokens > 0;
  const spent = isCounted
    ? { usage: read.usage, cost: costOf(read.usage, model.price), isEstimate: false }
    : estimateSpent(model, request, { options, received });
  if ("problem" in read) {
    const { problem: kind, text } = read;
    const problem = { kind, text, status: null, isRetryable: true, retryAfterMs: null };
    return { problem: { ...problem, isConnected: true }, spent };
  }
  const { usage, cost } = spent;
  const warnings = [...read.reply.warnings, ...(result.isCut === true ? [cutWarning(model)] : [])];
  return { reply: { ...read.reply, usage, cost, warnings }, spent };
}

function cutWarning({ id }: Model): string {
  return `${id} went on after the longest answer it was allowed, and was cut off; what it took is an estimate.`;
}

/** What the request had, and what arrived of the answer. */
function estimateSpent(
  { price }: Model,
  { prompt, tools }: ModelRequest,
  { options, received }: Sending,
): Spent {
  const inputTokens = options.inputTokens ?? estimateTokens(prompt) + estimateToolTokens(tools);
  const usage = { ...noUsage, inputTokens, outputTokens: received.count() };
  return { usage, cost: costOf(usage, price), isEstimate: true };
}
