import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import { askModel, type AskOptions } from "../model/ask-model.ts";
import type { ModelProblemKind } from "../model/model-problem.ts";
import type { Model, ModelReply, ModelRequest } from "../model/model.ts";
import { compact, estimateTokens } from "./compact.ts";
import type { Session } from "./session.ts";

/** A reply as the journal keeps it: what it cost stands beside it. */
export type RecordedReply = Pick<ModelReply, "parts" | "finish" | "warnings">;

/** The model's side of a conversation. */
export interface Turns {
  /**
   * Asks the model for its next reply, as a durable step; compacts `prompt` in place when it grew too long. `before` is
   * the part of the answer that earlier replies gave.
   */
  ask(
    session: Session,
    prompt: LanguageModelV4Prompt,
    turn: number,
    before: string,
  ): Promise<RecordedReply>;
}

/** What {@link createTurns} needs. */
export interface TurnsOptions {
  model: Model;
  /** Asked instead when the provider turns out not to have `model`. */
  fallback: Model | undefined;
  request: Omit<ModelRequest, "prompt">;
  /** How often a failed request is tried again. */
  retries: number;
  /** Receive replies word by word: costs more, shows life and text early. */
  stream: boolean;
}

/** The part of the model's context a conversation may fill before it is compacted, and what is left of it then. */
const fullShare = 0.8;
const compactedShare = 0.5;

/** Turns of a conversation with one model. */
export function createTurns(options: TurnsOptions): Turns {
  let { model, fallback } = options;

  function makeRoom(session: Session, prompt: LanguageModelV4Prompt, target: RoomTarget): void {
    const { turn, tokens } = target;
    const { prompt: shorter, removedCharacters } = compact(prompt, tokens);
    if (removedCharacters === 0) return;
    prompt.splice(0, prompt.length, ...shorter);
    session.registry.append(session.spec.id, {
      type: "conversation-compacted",
      turn,
      removedCharacters,
    });
  }

  async function askOnce(
    session: Session,
    prompt: LanguageModelV4Prompt,
    { key, before }: { key: string; before: string },
  ) {
    const { stream, retries } = options;
    const listener = listen(session, key, before);
    const { signal } = session;
    const request = { ...options.request, prompt };
    const how = { signal, stream, retries, ...listener };
    try {
      return await askModel(model, request, how);
    } catch (error) {
      if (fallback === undefined || !isKind(error, "not-found")) throw error;
      session.warnings.add(
        `The model ${model.id} does not exist for its provider; ${fallback.id} was asked instead.`,
      );
      [model, fallback] = [fallback, undefined];
      return await askModel(model, request, how);
    }
  }

  return {
    async ask(session, prompt, turn, before) {
      const key = `model/${turn}`;
      const { contextTokens } = model;
      if (estimateTokens(prompt) > contextTokens * fullShare) {
        makeRoom(session, prompt, { turn, tokens: contextTokens * compactedShare });
      }
      const step = { key, kind: "model" } as const;
      const reply = await session.steps.do<RecordedReply>(step, async () => {
        // What the model is asked with is durable: a conversation that cost money is never begun anew.
        await session.registry.flushed();
        const { usage, cost, ...value } = await askOnce(session, prompt, { key, before }).catch(
          async (error: unknown) => {
            if (!isKind(error, "context-overflow")) throw error;
            makeRoom(session, prompt, { turn, tokens: (contextTokens * compactedShare) / 2 });
            return await askOnce(session, prompt, { key, before });
          },
        );
        return { value, usage, cost };
      });
      for (const warning of reply.warnings) session.warnings.add(warning);
      return reply;
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

interface RoomTarget {
  turn: number;
  tokens: number;
}

function isKind(error: unknown, kind: ModelProblemKind): boolean {
  return error instanceof CadreError && error.details["kind"] === kind;
}
