import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import { askModel } from "../model/ask-model.ts";
import type { Model, ModelReply, ModelRequest } from "../model/model.ts";
import { compact, estimateTokens } from "./compact.ts";
import type { Session } from "./session.ts";

/** A reply as the journal keeps it: what it cost stands beside it. */
export type RecordedReply = Pick<ModelReply, "parts" | "finish" | "warnings">;

/** The model's side of a conversation. */
export interface Turns {
  /** Asks the model for its next reply, as a durable step; compacts `prompt` in place when it grew too long. */
  ask(session: Session, prompt: LanguageModelV4Prompt, turn: number): Promise<RecordedReply>;
}

/** What {@link createTurns} needs. */
export interface TurnsOptions {
  model: Model;
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
  const { model } = options;
  const { contextTokens } = model;

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

  async function askOnce(session: Session, prompt: LanguageModelV4Prompt, key: string) {
    const { spec, signal, registry, watchdog } = session;
    let partial = "";
    return await askModel(
      model,
      { ...options.request, prompt },
      {
        signal,
        stream: options.stream,
        retries: options.retries,
        onSign: () => watchdog.sign(),
        onDelta(text) {
          partial += text;
          session.said.text = partial;
          session.report("text", text);
        },
        onRetry({ attempt, delayMs, reason }) {
          partial = "";
          registry.append(spec.id, { type: "model-retried", key, attempt, delayMs, reason });
          // Waiting for a provider that said when to come back is not silence.
          watchdog.sign();
        },
      },
    );
  }

  return {
    async ask(session, prompt, turn) {
      const key = `model/${turn}`;
      if (estimateTokens(prompt) > contextTokens * fullShare) {
        makeRoom(session, prompt, { turn, tokens: contextTokens * compactedShare });
      }
      const step = { key, kind: "model", title: "thinking", hasEffect: false } as const;
      const reply = await session.steps.do<RecordedReply>(step, async () => {
        const { usage, cost, ...value } = await askOnce(session, prompt, key).catch(
          async (error: unknown) => {
            if (!isOverflow(error)) throw error;
            makeRoom(session, prompt, { turn, tokens: (contextTokens * compactedShare) / 2 });
            return await askOnce(session, prompt, key);
          },
        );
        return { value, usage, cost };
      });
      for (const warning of reply.warnings) session.warnings.add(warning);
      return reply;
    },
  };
}

interface RoomTarget {
  turn: number;
  tokens: number;
}

function isOverflow(error: unknown): boolean {
  return error instanceof CadreError && error.details["kind"] === "context-overflow";
}
