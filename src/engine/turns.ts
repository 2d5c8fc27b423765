import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelReply } from "../model/model.ts";
import { estimateTokens } from "../model/request/estimate-tokens.ts";
import { createInputEstimate } from "./budget/input-estimate.ts";
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
  const input = createInputEstimate(options.request.tools);

  async function askWithRoom(
    session: Session,
    prompt: LanguageModelV4Prompt,
    { turn, before }: { turn: number; before: string },
  ): Promise<ModelReply> {
    const key = modelKey(session, turn);
    const ask = async (): Promise<ModelReply> =>
      await speaker.ask(session, prompt, { key, before, inputTokens: input.estimate(prompt) });
    try {
      return await ask();
    } catch (error) {
      if (!isKind(error, "context-overflow")) throw error;
      const tokens = (speaker.model.contextTokens * compactedShare) / 2;
      makeRoom(session, prompt, { turn, tokens });
      return await ask();
    }
  }

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
        const { usage, cost, ...value } = await askWithRoom(session, prompt, { turn, before });
        return { value, usage, cost };
      });
      input.learn(prompt, session.steps.usageOf(key));
      for (const warning of reply.warnings) session.warnings.add(warning);
      return reply;
    },
  };
}

interface RoomTarget {
  turn: number;
  tokens: number;
}
