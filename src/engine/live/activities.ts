import { type Clock, systemClock } from "../../clock.ts";
import type { LiveChannel } from "../../registry/live-channel.ts";
import type { RunActivity } from "../engine.ts";
import { createOutputReader, type OutputReader } from "./read-output.ts";
import { growOutput, type LiveOutput } from "./live-output.ts";
import { createLiveReply, type GrowingReply, type LiveReply } from "./live-reply.ts";

/** A channel for the output of running agents, which is not recorded. */
export interface Activities {
  publish(activity: RunActivity): void;
  /** Calls `listener` with the output of all runs, whose replies are streamed meanwhile. Returns the function that stops it. */
  subscribe(listener: (activity: RunActivity) => void): () => void;
  /**
   * Calls `onOutput` when a reply or an output of a run grows; its replies are streamed meanwhile. With `live`, those of other processes
   * too. Returns the function that stops it.
   */
  watch(runId: string, onOutput: () => void, live?: LiveChannel): () => void;
  /** Reports whether anybody watches a run. Replies are streamed for watchers only, because streaming costs CPU time. */
  isWatched(runId: string): boolean;
  /** Returns the replies of a run that are arriving. */
  replies(runId: string): Iterable<LiveReply>;
  /** Forgets the reply of a step: it has been recorded, or its request failed. */
  endReply(runId: string, step: string): void;
  /** Returns the outputs of the tool calls that a run executes, as far as they arrived while somebody watched it. */
  outputs(runId: string): Iterable<LiveOutput>;
  /** Forgets the output of a call, which has ended. */
  endOutput(runId: string, step: string): void;
}

/** Creates the channel. It holds only what is arriving, so a watcher that does not read costs no memory. */
export function createActivities(clock: Pick<Clock, "scheduleIdly"> = systemClock): Activities {
  const listeners = new Set<(activity: RunActivity) => void>();
  const watchers = new Map<string, Set<() => void>>();
  const replies = createLivePieces<GrowingReply>(createLiveReply);
  const outputs = createLivePieces<LiveOutput>((step) => ({ step, text: "", total: 0 }));

  function grow(activity: RunActivity): void {
    if (activity.type === "progress") return;
    const { runId, step, ...piece } = activity;
    if (piece.type !== "tool-output") replies.find(runId, step).add(piece);
    else if (watchers.has(runId)) growOutput(outputs.find(runId, step), piece.text);
    for (const onOutput of watchers.get(runId) ?? []) onOutput();
  }

  /** A registry that failed is replaced by another one, with another channel. */
  const readers = new WeakMap<LiveChannel, OutputReader>();

  function forget(runId: string, step: string): void {
    replies.end(runId, step);
    outputs.end(runId, step);
  }

  function readerOf(live: LiveChannel): OutputReader {
    const reader = readers.get(live) ?? createOutputReader({ live, clock, grow, forget });
    readers.set(live, reader);
    return reader;
  }

  return {
    publish(activity) {
      grow(activity);
      for (const listener of listeners) listener(activity);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    watch(runId, onOutput, live) {
      // Of its own, since the same function may watch twice.
      const own = (): void => onOutput();
      const ofRun = watchers.get(runId) ?? new Set();
      watchers.set(runId, ofRun.add(own));
      let stopReading = live && readerOf(live).read(runId);
      return () => {
        stopReading?.();
        stopReading = undefined;
        ofRun.delete(own);
        if (ofRun.size === 0 && watchers.get(runId) === ofRun) watchers.delete(runId);
      };
    },
    isWatched: (runId) => listeners.size > 0 || watchers.has(runId),
    replies: replies.of,
    endReply: replies.end,
    outputs: outputs.of,
    endOutput: outputs.end,
  };
}

/** What is arriving, by run and step. */
interface LivePieces<Piece> {
  /** Returns that of a step, which may begin. */
  find(runId: string, step: string): Piece;
  of(runId: string): Iterable<Piece>;
  end(runId: string, step: string): void;
}

function createLivePieces<Piece>(create: (step: string) => Piece): LivePieces<Piece> {
  const all = new Map<string, Map<string, Piece>>();
  return {
    find(runId, step) {
      const ofRun = all.get(runId) ?? new Map<string, Piece>();
      all.set(runId, ofRun);
      const piece = ofRun.get(step) ?? create(step);
      ofRun.set(step, piece);
      return piece;
    },
    of: (runId) => all.get(runId)?.values() ?? [],
    end(runId, step) {
      const ofRun = all.get(runId);
      ofRun?.delete(step);
      if (ofRun?.size === 0) all.delete(runId);
    },
  };
}
