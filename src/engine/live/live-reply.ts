import type { ReplyPiece } from "../../model/model.ts";

/** A part of an arriving reply. */
export type LiveBlock =
  | { type: "text" | "reasoning"; text: string }
  | { type: "tool-input"; tool: string; text: string };

/** A reply that is arriving. */
export interface LiveReply {
  /** The key of its step. */
  step: string;
  /** The blocks that have arrived, in order. Grows in place. */
  blocks: readonly LiveBlock[];
}

/** A live reply that can grow. */
export interface GrowingReply extends LiveReply {
  add(piece: ReplyPiece): void;
}

/** Creates the empty reply of the step `step`. */
export function createLiveReply(step: string): GrowingReply {
  const blocks: LiveBlock[] = [];
  const known = new Map<string, LiveBlock>();
  return {
    step,
    blocks,
    add(piece) {
      // A text and a reasoning may have the same id.
      const key = `${piece.type} ${piece.id}`;
      const block = known.get(key);
      if (block !== undefined) {
        block.text += piece.text;
        return;
      }
      const { id: _, ...begun } = piece;
      known.set(key, begun);
      blocks.push(begun);
    },
  };
}
