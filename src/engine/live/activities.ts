import { type Clock, systemClock } from "../../clock.ts";
import type { LiveChannel } from "../../registry/live-channel.ts";
import type { RunActivity } from "../engine.ts";
import { createOutputReader, type OutputReader } from "./read-output.ts";
import { growOutput, type LiveOutput } from "./live-output.ts";
import { createLiveReply, type GrowingReply, type LiveReply } from "./live-reply.ts";

/** A channel for the unrecorded output of running agents. */
export interface Activities {
  publish(activity: RunActivity): void;
  /** Calls `listener` with the output of all runs and streams their replies meanwhile. Returns a function that unsubscribes. */
  subscribe(listener: (activity: RunActivity) => void): () => void;
  /**
   * Calls `onOutput` when a reply or an output of a run grows, and streams its replies meanwhile. With `live`, includes runs of
   * other processes. Returns a function that stops watching.
   */
  watch(runId: string, onOutput: () => void, live?: LiveChannel): () => void;
  /** Reports whether the run has a watcher. Replies are streamed for watchers only, because streaming costs CPU time. */
  isWatched(runId: string): boolean;
  /** Returns the replies of a run that are still arriving. */
  replies(runId: string): Iterable<LiveReply>;
  /** Drops the reply of a step after it was recorded or its request failed. */
  endReply(runId: string, step: string): void;
  /** Returns the outputs of a run's active tool calls that arrived while the run was watched. */
  outputs(runId: string): Iterable<LiveOutput>;
  /** Drops the output of an ended call. */
  endOutput(runId: string, step: string): void;
}

/** Creates the channel. It holds only arriving output, so a watcher that does not read costs no memory. */
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

  /** Another registry, with another channel, replaces one that failed. */
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
      // A separate function for each watch, because the same callback may watch twice.
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

/** Arriving output, by run and step. */
interface LivePieces<Piece> {
  /** Returns the output of a step; begins it if necessary. */
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
