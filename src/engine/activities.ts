import type { RunActivity } from "./engine.ts";

/** What running agents say and report, for whoever listens. */
export interface Activities {
  publish(activity: RunActivity): void;
  subscribe(listener: (activity: RunActivity) => void): () => void;
}

/** A channel that keeps nothing. */
export function createActivities(): Activities {
  const listeners = new Set<(activity: RunActivity) => void>();
  return {
    publish(activity) {
      for (const listener of listeners) listener(activity);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
