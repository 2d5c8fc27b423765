import type { RunActivity } from "../engine.ts";
import type { OutputPiece } from "./live-message.ts";

/** The output received from other processes. */
export interface ReceivedOutput {
  /** Passes on the new part of a piece. Returns `false` when an earlier piece was lost. */
  take(piece: OutputPiece): boolean;
  /** Drops the output received for a run. */
  forget(run: string): void;
}

/** Options of {@link createReceivedOutput}. */
export interface ReceivedOutputOptions {
  /** Receives each piece once, in order and without a gap. */
  grow: (activity: RunActivity) => void;
  /** Drops the reply or the output of a step, because another one replaces it or it has no reader. */
  forget: (runId: string, step: string) => void;
}

/** A reply or an output. */
interface Received {
  reply: string;
  /** The number of characters of each block. */
  lengths: number[];
}

/** Creates an empty record of received output. */
export function createReceivedOutput({ grow, forget }: ReceivedOutputOptions): ReceivedOutput {
  const received = new Map<string, Map<string, Received>>();

  /** Returns the received part of a piece's reply, which may replace another reply. */
  function find({ run, step, reply }: OutputPiece): Received {
    const ofRun = received.get(run) ?? new Map<string, Received>();
    received.set(run, ofRun);
    const known = ofRun.get(step);
    if (known?.reply === reply) return known;
    if (known !== undefined) forget(run, step);
    const begun = { reply, lengths: [] };
    ofRun.set(step, begun);
    return begun;
  }

  return {
    take(piece) {
      const { block, at, type } = piece;
      const { lengths } = find(piece);
      const before = lengths[block];
      const have = before ?? 0;
      const isGap = at > have;
      if (isGap && type !== "tool-output") return false;
      const text = isGap
        ? `\n[${at - have} characters left out]\n${piece.text}`
        : piece.text.slice(have - at);
      lengths[block] = Math.max(have, at + piece.text.length);
      const isNewCall = before === undefined && type === "tool-input";
      if (text !== "" || isNewCall) grow(toActivity(piece, text));
      return true;
    },
    forget(run) {
      for (const step of received.get(run)?.keys() ?? []) forget(run, step);
      received.delete(run);
    },
  };
}

function toActivity(piece: OutputPiece, text: string): RunActivity {
  const { run: runId, step, block, type, tool = "" } = piece;
  if (type === "tool-output") return { runId, step, type, text };
  const common = { runId, step, id: String(block), text };
  return type === "tool-input" ? { ...common, type, tool } : { ...common, type };
}
