import { callId, callOfStep } from "./call-id.ts";
import type { Update } from "../editor/editor.ts";
import type { RunStreamPart } from "../../host.ts";

/** Tracks whether a turn works, or whether all of it waits for the user. */
export interface ActivityState {
  take(part: RunStreamPart): void;
  /** Marks a call as waiting for the user until the returned function is called. */
  waitFor(callId: string): () => void;
}

/** Begins a turn in the state `running`. `show` receives each change. */
export function createActivityState(show: (update: Update) => void): ActivityState {
  /** The calls in progress, by the active runs that made them. */
  const runs = new Map<string, Set<string>>();
  /** The active runs, by the calls that started them. */
  const startedBy = new Map<string, string>();
  const asked = new Set<string>();
  let shown = "running";
  show({ type: "state", state: "running" });

  function isBlocked(): boolean {
    const delegating = new Set(startedBy.values());
    const waits = (call: string): boolean => asked.has(call) || delegating.has(call);
    const areWaiting = [...runs.values()].every(
      (calls) => calls.size > 0 && [...calls].every(waits),
    );
    return asked.size > 0 && runs.size > 0 && areWaiting;
  }

  function update(): void {
    const state = isBlocked() ? "blocked" : "running";
    if (state === shown) return;
    shown = state;
    show({ type: "state", state });
  }

  return {
    take(part) {
      const { runId, type } = part;
      if (type === "run-created") {
        runs.set(runId, new Set());
        if (part.parentId !== null && part.step !== null) {
          startedBy.set(runId, callId(part.parentId, callOfStep(part.step)));
        }
      } else if (type === "run-finished") {
        runs.delete(runId);
        startedBy.delete(runId);
      } else if (type === "tool-call") runs.get(runId)?.add(callId(runId, part.id));
      else if (type === "tool-result") runs.get(runId)?.delete(callId(runId, part.id));
      else return;
      update();
    },
    waitFor(call) {
      asked.add(call);
      update();
      return () => {
        asked.delete(call);
        update();
      };
    },
  };
}
