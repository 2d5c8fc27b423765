import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Clock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import { type Admit, askModel, type AskOptions } from "../../model/request/ask-model.ts";
import type { ModelProblemKind } from "../../model/request/model-problem.ts";
import type { Model, ModelReply, ModelRequest } from "../../model/model.ts";
import type { Attempt } from "../../model/request/attempt-request.ts";
import { noUsage } from "../../run/usage.ts";
import { onSettled } from "../../on-settled.ts";
import { orAbort } from "../../source/or-abort.ts";
import type { Reservation } from "../budget/run-budget.ts";
import { overflow } from "../conversation/overflow.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { RunFailed, toFailure } from "../run-failed.ts";
import type { ModelChain } from "./model-chain.ts";

/** A model whose requests count towards a run's budget. */
export interface BudgetedModel {
  /**
   * Makes one request within the run's budget, after everything recorded before it is durable.
   *
   * @throws RunFailed `stalled` when the provider fell silent at each attempt, `limit-exceeded` when the conversation is too long
   * for the model, and the errors of a model request.
   */
  ask(run: RunContext, prompt: LanguageModelV4Prompt, call: ModelCall): Promise<ModelReply>;
}

/** Options of model requests. */
export interface AskSettings {
  clock: Clock;
  limits: {
    /** How often a failed request is retried. */
    modelRetries: number;
    /** Seconds of silence in the middle of a reply. */
    stallSeconds: number;
    /** Seconds until a reply starts, or until it is complete where it is not streamed. Absent = derived from its length. */
    replySeconds?: number;
  };
}

/** Options of {@link createBudgetedModel}. */
export interface BudgetedModelOptions {
  models: Pick<ModelChain, "current">;
  request: Omit<ModelRequest, "prompt">;
  settings: AskSettings;
}

/** One request. */
export interface ModelCall {
  /** The key of its step. */
  key: string;
  /** The text of earlier replies that belongs to the same answer. */
  before: string;
  /** The approximate number of its input tokens. */
  inputTokens: number;
  toolChoice?: ModelRequest["toolChoice"];
}

/** Creates a model that sends requests to the one in use. */
export function createBudgetedModel({
  models,
  settings,
  request,
}: BudgetedModelOptions): BudgetedModel {
  const { stallSeconds, replySeconds, modelRetries } = settings.limits;
  const limits = {
    stallMs: stallSeconds * 1000,
    ...(replySeconds !== undefined && { replyMs: replySeconds * 1000 }),
  };

  function askWithinBudget(
    run: RunContext,
    prompt: LanguageModelV4Prompt,
    call: ModelCall,
  ): Promise<ModelReply> {
    const { budget, signal, watchdog } = run;
    const model = models.current();
    const { inputTokens, toolChoice } = call;
    const size = { inputTokens, prompt, tools: request.tools };
    if (inputTokens > model.contextTokens) return Promise.reject(overflow(model, size));
    const asking = askModel(
      model,
      { ...request, prompt, ...omitUndefined({ toolChoice }) },
      {
        signal,
        // To enforce a budget, Cadre must cut off a provider that ignores the limit, which needs streaming.
        stream: run.isWatched() || budget.boundsRequests,
        retries: modelRetries,
        inputTokens,
        limits,
        clock: settings.clock,
        admit: admitRequest(run, model, call),
        ...listen(run, call),
      },
    );
    // Requests have their own timeouts.
    return watchdog.ignoreSilenceWhile(asking).catch((error: unknown) => {
      if (isKind(error, "stalled")) throw stalled(error);
      throw isKind(error, "context-overflow") ? overflow(model, size, error.message) : error;
    });
  }

  return { ask: askWithinBudget };
}

/** Reserves budget for each request, and makes the conversation and the reservation durable before it is sent. */
function admitRequest(run: RunContext, { id, price }: Model, call: ModelCall): Admit {
  const { budget, registry, signal, slot, spec } = run;
  const { key, inputTokens } = call;
  const estimate = {
    inputTokens,
    model: id,
    price,
    wait: (change: Promise<void>) => slot.yieldWhile(orAbort(change, signal)),
  };
  return (send) =>
    budget.askModel(estimate, (reservation) => {
      if (reservation !== undefined) {
        const { tokens, usd } = reservation;
        registry.append(spec.id, { type: "request-started", key, reserved: { tokens, usd } });
      }
      // A conversation that cost money is never started over.
      const sending = registry.flushed().then(() => send(reservation?.maxOutputTokens));
      return onSettled(sending, () => run.endReply(key)).then((attempt) => {
        if (attempt.reply === undefined) recordFailure(run, key, attempt, reservation);
        return attempt;
      });
    });
}

/** Records the cost of a request without a reply, if anything was reserved. */
function recordFailure(
  { registry, spec }: RunContext,
  key: string,
  { spent }: Attempt,
  reservation: Reservation | undefined,
): void {
  if (spent === undefined && reservation === undefined) return;
  const { usage, cost, isEstimate } = spent ?? { usage: noUsage, cost: 0, isEstimate: false };
  registry.append(spec.id, { type: "request-failed", key, usage, cost, isEstimate });
}

/** Listens to the progress of a request: pieces of the reply, and retries. */
function listen(
  run: RunContext,
  { key, before }: ModelCall,
): Required<Pick<AskOptions, "onPiece" | "onRetry">> {
  const { spec, registry, conclusion } = run;
  let partial = before;
  return {
    onPiece(piece) {
      if (piece.type === "text") {
        partial += piece.text;
        conclusion.text = partial;
      }
      run.report({ step: key, ...piece });
    },
    onRetry({ attempt, delayMs, reason }) {
      partial = before;
      registry.append(spec.id, { type: "model-retried", key, attempt, delayMs, reason });
    },
  };
}

/** A run fails as stalled when its requests stall in every attempt. */
function stalled(error: CadreError): RunFailed {
  return new RunFailed({ ...toFailure(error), code: "stalled" });
}

/** Reports whether `error` is a model problem of that kind. */
function isKind(error: unknown, kind: ModelProblemKind): error is CadreError {
  return error instanceof CadreError && error.details["kind"] === kind;
}
