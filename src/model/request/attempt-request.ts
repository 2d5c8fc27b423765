import { type Clock, systemClock } from "../../clock.ts";
import { noUsage, type Usage } from "../../run/usage.ts";
import { collectStream, type ProviderResult } from "./collect-stream.ts";
import type { Model, ModelReply, ModelRequest, ReplyPiece } from "../model.ts";
import { accessOf, hideSecrets } from "./model-access.ts";
import { type ModelProblem, readProblem } from "./model-problem.ts";
import { prepareCall } from "./prepare-call.ts";
import { createPieceReader } from "./read-piece.ts";
import { costOf } from "../price/price.ts";
import { readReply } from "./read-reply.ts";
import { listenToBody } from "../transport/body-listener.ts";
import { estimateTokens, estimateToolTokens } from "./estimate-tokens.ts";
import { countReceived, type ReceivedTokens } from "./received-tokens.ts";
import { type RequestLimits, watchRequest } from "./request-watch.ts";
import { onSettled } from "../../on-settled.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The options of {@link attemptRequest}. */
export interface RequestOptions {
  /** Aborts the request. */
  signal: AbortSignal;
  /** Whether to stream. Streaming costs several times the CPU, so use it only for a live view or a budget. */
  stream: boolean;
  /** Called with each piece of the reply when streaming. Must not throw. */
  onPiece?: (piece: ReplyPiece) => void;
  /** Limits on the provider's silence. Default: two minutes in the middle of a reply. */
  limits?: RequestLimits;
  /** The estimated input tokens of the request. Default: estimated from its characters. */
  inputTokens?: number;
  clock?: Clock;
}

/** The usage and cost of a request. */
export interface Spent {
  usage: Usage;
  /** US dollars; `null` when the price is unknown. */
  cost: number | null;
  /** Whether the provider reported no usage. */
  isEstimate: boolean;
}

/** The outcome of a request. An aborted request has neither a reply nor a problem. */
export interface Attempt {
  reply?: ModelReply;
  problem?: ModelProblem;
  /** Absent when the request cost nothing. */
  spent?: Spent;
}

const defaultLimits: RequestLimits = { stallMs: 120_000 };

/** Sends a request to a model once. Rejects with a CadreError for an error that no retry can fix. */
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
      ...omitUndefined({ problem }),
      ...(isBilled && { spent: estimateSpent(model, request, { options, received }) }),
    };
  }
}

/** Hides keys in the problem's text, which enters journals and messages. Some servers repeat the key that they refuse. */
function readOpenProblem(model: Model, error: unknown): ModelProblem {
  const problem = readProblem(error);
  return { ...problem, text: hideSecrets(problem.text, accessOf(model).secrets) };
}

/** Reports whether the provider may bill the request although no reply arrived. Refused requests cost nothing. */
function mayBeBilled({ kind, isConnected }: ModelProblem): boolean {
  return kind === "stalled" || kind === "truncated" || (kind === "network" && isConnected);
}

interface Sending {
  options: RequestOptions;
  received: ReceivedTokens;
}

/** How far the estimated length of a received answer may exceed the output limit before the answer is cut. */
const tolerance = { factor: 1.5, tokens: 64 };

function send(
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
  listenToBody(signal, watch);
  const prepared = { ...call, abortSignal: signal };
  const longest = (request.maxOutputTokens ?? Infinity) * tolerance.factor + tolerance.tokens;
  async function stream(): Promise<ProviderResult> {
    const { stream: parts } = await watch.orAbort(() => language.doStream(prepared));
    const readPiece = createPieceReader(request);
    return await collectStream(parts, signal, {
      onPart(part) {
        // The client itself creates this part before anything arrives.
        if (part.type !== "stream-start") watch.dataReceived();
        received.add(part);
        const piece = readPiece(part);
        if (piece !== undefined) options.onPiece?.(piece);
      },
      isFull: () => received.count() > longest,
    });
  }
  const sending: Promise<ProviderResult> = isStreamed
    ? stream()
    : watch.orAbort(() => language.doGenerate(prepared));
  return onSettled(sending, () => watch.stop());
}

/** Converts a provider's answer to a reply or a problem. */
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
  return `${id} exceeded the output limit of the request, and its reply was cut off; its usage is an estimate.`;
}

/** Estimates usage and cost from the request and the received part of the answer. */
function estimateSpent(
  { price }: Model,
  { prompt, tools }: ModelRequest,
  { options, received }: Sending,
): Spent {
  const inputTokens = options.inputTokens ?? estimateTokens(prompt) + estimateToolTokens(tools);
  const usage = { ...noUsage, inputTokens, outputTokens: received.count() };
  return { usage, cost: costOf(usage, price), isEstimate: true };
}
