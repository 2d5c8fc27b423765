import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelReply } from "../model/model.ts";
import { estimateTokens } from "../model/request/estimate-tokens.ts";
import { compact } from "./compact.ts";
import { createSpeaker, isKind, type SpeakerOptions } from "./speaker.ts";
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

/** The part of the model's context a conversation may fill before it is compacted, and what is left of it then. */
const fullShare = 0.8;
const compactedShare = 0.5;

/** The key of the model step that is the turn `turn` of a conversation, counted from 1. */
export function modelKey({ prefix }: Pick<Session, "prefix">, turn: number): string {
  return `${prefix}model/${turn}`;
}

/** Turns of a conversation with one model. */
export function createTurns(options: SpeakerOptions): Turns {
  const speaker = createSpeaker(options);

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

  return {
    async ask(session, prompt, turn, before) {
      const key = modelKey(session, turn);
      const { contextTokens } = speaker.model;
      if (estimateTokens(prompt) > contextTokens * fullShare) {
        makeRoom(session, prompt, { turn, tokens: contextTokens * compactedShare });
      }
      const step = { key, kind: "model" } as const;
      const reply = await session.steps.do<RecordedReply>(step, async () => {
        // What the model is asked with is durable: a conversation that cost money is never begun anew.
        await session.registry.flushed();
        const { usage, cost, ...value } = await speaker
          .ask(session, prompt, { key, before })
          .catch(async (error: unknown) => {
            if (!isKind(error, "context-overflow")) throw error;
            makeRoom(session, prompt, { turn, tokens: (contextTokens * compactedShare) / 2 });
            return await speaker.ask(session, prompt, { key, before });
          });
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
