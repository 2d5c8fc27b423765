import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Clock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import { type Admit, askModel, type AskOptions } from "../model/ask-model.ts";
import type { ModelProblemKind } from "../model/model-problem.ts";
import type { Model, ModelReply, ModelRequest } from "../model/model.ts";
import type { Attempt } from "../model/request/attempt-request.ts";
import { noUsage } from "../run/usage.ts";
import { orAbort } from "../source/or-abort.ts";
import type { Reservation } from "./budget/run-budget.ts";
import { overflow } from "./context/overflow.ts";
import type { Session } from "./session.ts";
import { RunFailed, toFailure } from "./to-failure.ts";

/** The model at the other end of a conversation. */
export interface Speaker {
  /** The one that is asked now. */
  readonly model: Model;
  /**
   * Asks once, within the budget of the run; what the run recorded until now is durable before.
   *
   * @throws RunFailed `stalled` when the provider fell silent at each attempt, `limit-exceeded` when the conversation is too long
   * for the model, and what asking a model throws.
   */
  ask(session: Session, prompt: LanguageModelV4Prompt, place: Place): Promise<ModelReply>;
}

/** How models are asked. */
export interface AskSettings {
  clock: Clock;
  /** Receive replies word by word: costs more, shows life and text early. */
  stream: boolean;
  limits: {
    /** How often a failed request is tried again. */
    modelRetries: number;
    /** Seconds of silence in the middle of a reply. */
    stallSeconds: number;
    /** Seconds until a reply begins, or is there where it does not arrive word by word; absent = by its length. */
    replySeconds?: number;
  };
}

/** What {@link createSpeaker} needs. */
export interface SpeakerOptions {
  model: Model;
  /** Asked instead when the provider turns out not to have `model`. */
  fallback: Model | undefined;
  request: Omit<ModelRequest, "prompt">;
  settings: AskSettings;
}

/** One question. */
export interface Place {
  /** The key of its step. */
  key: string;
  /** The part of the answer that earlier replies gave. */
  before: string;
  /** About how many input tokens it has. */
  inputTokens: number;
}

/** Speaks with `options.model`, and with the fallback once its provider turns out not to have it. */
export function createSpeaker(options: SpeakerOptions): Speaker {
  let { model, fallback } = options;
  const { settings, request } = options;
  const { stallSeconds, replySeconds, modelRetries } = settings.limits;
  const limits = {
    stallMs: stallSeconds * 1000,
    ...(replySeconds !== undefined && { replyMs: replySeconds * 1000 }),
  };

  async function askWithinBudget(
    session: Session,
    prompt: LanguageModelV4Prompt,
    place: Place,
  ): Promise<ModelReply> {
    const { budget, signal, watchdog } = session;
    const { inputTokens } = place;
    const size = { inputTokens, prompt, tools: request.tools };
    if (inputTokens > model.contextTokens) throw overflow(model, size);
    const asking = askModel(
      model,
      { ...request, prompt },
      {
        signal,
        // A budget is kept by cutting a provider off that goes on and on, which needs its answer word by word.
        stream: settings.stream || budget.boundsRequests,
        retries: modelRetries,
        inputTokens,
        limits,
        clock: settings.clock,
        admit: admitRequest(session, model, place),
        ...listen(session, place),
      },
    );
    // Requests have limits of their own.
    return await watchdog.trustWhile(asking).catch((error: unknown) => {
      if (isKind(error, "stalled")) throw stalled(error);
      throw isKind(error, "context-overflow") ? overflow(model, size, error.message) : error;
    });
  }

  return {
    get model() {
      return model;
    },
    async ask(session, prompt, place) {
      try {
        return await askWithinBudget(session, prompt, place);
      } catch (error) {
        if (fallback === undefined || !isKind(error, "not-found")) throw error;
        session.warnings.add(
          `The model ${model.id} does not exist for its provider; ${fallback.id} was asked instead.`,
        );
        [model, fallback] = [fallback, undefined];
        return await askWithinBudget(session, prompt, place);
      }
    },
  };
}

/** Makes each request within the budget of the run, and durable what is asked and what it may take before it is made. */
function admitRequest(session: Session, { id, price }: Model, place: Place): Admit {
  const { budget, registry, signal, slot, spec } = session;
  const { key, inputTokens } = place;
  const estimate = {
    inputTokens,
    model: id,
    price,
    wait: (change: Promise<void>) => slot.yieldWhile(orAbort(change, signal)),
  };
  return async (send) =>
    await budget.askModel(estimate, async (reservation) => {
      if (reservation !== undefined) {
        const { tokens, usd } = reservation;
        registry.append(spec.id, { type: "request-started", key, reserved: { tokens, usd } });
      }
      // A conversation that cost money is never begun anew.
      await registry.flushed();
      const attempt = await send(reservation?.maxOutputTokens);
      if (attempt.reply === undefined) recordFailure(session, key, attempt, reservation);
      return attempt;
    });
}

/** What a request took that gave no reply; nothing is worth recording only where nothing was set aside. */
function recordFailure(
  { registry, spec }: Session,
  key: string,
  { spent }: Attempt,
  reservation: Reservation | undefined,
): void {
  if (spent === undefined && reservation === undefined) return;
  const { usage, cost, isEstimate } = spent ?? { usage: noUsage, cost: 0, isEstimate: false };
  registry.append(spec.id, { type: "request-failed", key, usage, cost, isEstimate });
}

/** What is heard of a request on the way: text, retries. */
function listen(
  session: Session,
  { key, before }: Place,
): Required<Pick<AskOptions, "onDelta" | "onRetry">> {
  const { spec, registry, said } = session;
  let partial = before;
  return {
    onDelta(text) {
      partial += text;
      said.text = partial;
      session.report("text", text);
    },
    onRetry({ attempt, delayMs, reason }) {
      partial = before;
      registry.append(spec.id, { type: "model-retried", key, attempt, delayMs, reason });
    },
  };
}

/** A run whose requests stall is stalled, however often they were tried again. */
function stalled(error: CadreError): RunFailed {
  return new RunFailed({ ...toFailure(error), code: "stalled" });
}

/** Whether `error` is a model's problem of that kind. */
function isKind(error: unknown, kind: ModelProblemKind): error is CadreError {
  return error instanceof CadreError && error.details["kind"] === kind;
}
