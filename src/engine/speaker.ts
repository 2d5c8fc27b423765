import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import { askModel, type AskOptions } from "../model/ask-model.ts";
import type { ModelProblemKind } from "../model/model-problem.ts";
import { estimateTokens, estimateToolTokens } from "../model/request/estimate-tokens.ts";
import type { Model, ModelReply, ModelRequest } from "../model/model.ts";
import { orAbort } from "../source/or-abort.ts";
import type { Session } from "./session.ts";

/** The model at the other end of a conversation. */
export interface Speaker {
  /** The one that is asked now. */
  readonly model: Model;
  /** Asks once, within the budget of the run. `before` is the part of the answer that earlier replies gave. */
  ask(
    session: Session,
    prompt: LanguageModelV4Prompt,
    place: { key: string; before: string },
  ): Promise<ModelReply>;
}

/** What {@link createSpeaker} needs. */
export interface SpeakerOptions {
  model: Model;
  /** Asked instead when the provider turns out not to have `model`. */
  fallback: Model | undefined;
  request: Omit<ModelRequest, "prompt">;
  /** How often a failed request is tried again. */
  retries: number;
  /** Receive replies word by word: costs more, shows life and text early. */
  stream: boolean;
}

/** Speaks with `options.model`, and with the fallback once its provider turns out not to have it. */
export function createSpeaker(options: SpeakerOptions): Speaker {
  let { model, fallback } = options;
  const toolTokens = estimateToolTokens(options.request.tools);

  async function askWithinBudget(
    session: Session,
    prompt: LanguageModelV4Prompt,
    { key, before }: { key: string; before: string },
  ): Promise<ModelReply> {
    const { purse, signal, watchdog, slot } = session;
    const { stream, retries, request } = options;
    const { id, price } = model;
    const how = { signal, stream, retries, ...listen(session, key, before) };
    const estimate = {
      inputTokens: estimateTokens(prompt) + toolTokens,
      model: id,
      price,
      wait: (change: Promise<void>) =>
        watchdog.trustWhile(slot.yieldWhile(orAbort(change, signal))),
    };
    return await purse.askModel(estimate, async (maxOutputTokens) => {
      const bound = maxOutputTokens === undefined ? {} : { maxOutputTokens };
      return await askModel(model, { ...request, ...bound, prompt }, how);
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

/** What is heard of a request on the way: signs of life, text, retries. */
function listen(
  session: Session,
  key: string,
  before: string,
): Required<Pick<AskOptions, "onSign" | "onDelta" | "onRetry">> {
  const { spec, registry, watchdog, said } = session;
  let partial = before;
  return {
    onSign: () => watchdog.sign(),
    onDelta(text) {
      partial += text;
      said.text = partial;
      session.report("text", text);
    },
    onRetry({ attempt, delayMs, reason }) {
      partial = before;
      registry.append(spec.id, { type: "model-retried", key, attempt, delayMs, reason });
      // Waiting for a provider that said when to come back is not silence.
      watchdog.sign(delayMs);
    },
  };
}

/** Whether `error` is a model's problem of that kind. */
export function isKind(error: unknown, kind: ModelProblemKind): boolean {
  return error instanceof CadreError && error.details["kind"] === kind;
}
