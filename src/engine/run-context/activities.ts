import type { RunActivity } from "../engine.ts";
import { createLiveReply, type GrowingReply, type LiveReply } from "./live-reply.ts";

/** A channel for the output of running agents, which is not recorded. */
export interface Activities {
  publish(activity: RunActivity): void;
  /** Calls `listener` with the output of all runs, whose replies are streamed meanwhile. Returns the function that stops it. */
  subscribe(listener: (activity: RunActivity) => void): () => void;
  /** Calls `onOutput` when a reply of a run grows; its replies are streamed meanwhile. Returns the function that stops it. */
  watch(runId: string, onOutput: () => void): () => void;
  /** Reports whether anybody watches a run. Replies are streamed for watchers only, because streaming costs CPU time. */
  isWatched(runId: string): boolean;
  /** Returns the replies of a run that are arriving. */
  replies(runId: string): Iterable<LiveReply>;
  /** Forgets the reply of a step: it has been recorded, or its request failed. */
  endReply(runId: string, step: string): void;
}

/** Creates the channel. It holds only the replies that are arriving, so a watcher that does not read costs no memory. */
export function createActivities(): Activities {
  const listeners = new Set<(activity: RunActivity) => void>();
  const watchers = new Map<string, Set<() => void>>();
  const replies = new Map<string, Map<string, GrowingReply>>();

  function grow(activity: RunActivity): void {
    if (activity.type === "progress") return;
    const { runId, step, ...piece } = activity;
    const ofRun = replies.get(runId) ?? new Map<string, GrowingReply>();
    replies.set(runId, ofRun);
    const reply = ofRun.get(step) ?? createLiveReply(step);
    ofRun.set(step, reply);
    reply.add(piece);
    for (const onOutput of watchers.get(runId) ?? []) onOutput();
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
    watch(runId, onOutput) {
      // Of its own, since the same function may watch twice.
      const own = (): void => onOutput();
      const ofRun = watchers.get(runId) ?? new Set();
      watchers.set(runId, ofRun.add(own));
      return () => {
        ofRun.delete(own);
        if (ofRun.size === 0 && watchers.get(runId) === ofRun) watchers.delete(runId);
      };
    },
    isWatched: (runId) => listeners.size > 0 || watchers.has(runId),
    replies: (runId) => replies.get(runId)?.values() ?? [],
    endReply(runId, step) {
      const ofRun = replies.get(runId);
      ofRun?.delete(step);
      if (ofRun?.size === 0) replies.delete(runId);
    },
  };
}
