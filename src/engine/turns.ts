import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelReply } from "../model/model.ts";
import { estimateTokens } from "../model/request/estimate-tokens.ts";
import { createInputEstimate } from "./budget/input-estimate.ts";
import { compact, type CompactSize, isKept } from "./context/compact.ts";
import { isOverflow } from "./context/overflow.ts";
import { createSpeaker, type SpeakerOptions } from "./speaker.ts";
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

/**
 * A conversation is compacted when it fills more than `fullShare` of the context, to `compactedShare`. Both are shares of what the
 * messages that are never shortened leave of it.
 */
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
      if (!isOverflow(error)) throw error;
      // The provider counts more tokens than estimated, and rarely says how many more.
      const half = sizeWithin(prompt, estimateTokens(prompt), compactedShare);
      if (!makeRoom(session, prompt, { turn, size: { target: half, limit: half } })) throw error;
      return await ask();
    }
  }

  /** Compacts the conversation when it fills too much of the model's context. */
  function keepWithinContext(session: Session, prompt: LanguageModelV4Prompt, turn: number): void {
    const room = input.room(prompt, speaker.model.contextTokens);
    const limit = sizeWithin(prompt, room, fullShare);
    if (estimateTokens(prompt) <= limit) return;
    const target = sizeWithin(prompt, room, compactedShare);
    makeRoom(session, prompt, { turn, size: { target, limit } });
  }

  /** Compacts `prompt` in place; `false` when nothing could be taken away. */
  function makeRoom(session: Session, prompt: LanguageModelV4Prompt, wanted: Wanted): boolean {
    const { turn, size } = wanted;
    const { prompt: shorter, removedCharacters } = compact(prompt, size);
    if (removedCharacters === 0) return false;
    prompt.splice(0, prompt.length, ...shorter);
    // A resume repeats the compactions of recorded turns; their events are in the journal.
    if (!session.steps.isRecorded(modelKey(session, turn))) {
      const event = { type: "conversation-compacted", turn, removedCharacters } as const;
      session.registry.append(session.spec.id, event);
    }
    return true;
  }

  return {
    async ask(session, prompt, turn, before) {
      const key = modelKey(session, turn);
      keepWithinContext(session, prompt, turn);
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

/** The size a conversation should have, and the turn it is made smaller for. */
interface Wanted {
  turn: number;
  size: CompactSize;
}

/** The size of a conversation whose kept messages are whole, and whose others fill `share` of what these leave of `room`. */
function sizeWithin(prompt: LanguageModelV4Prompt, room: number, share: number): number {
  const kept = estimateTokens(prompt.filter(isKept));
  return kept + Math.max(0, room - kept) * share;
}
