// The journal of a run as bars of a timeline.

import type { RunEvent } from "./types.ts";

/** A step of a run: a model request, a tool call, a question, a pause before a retry. Times are epoch milliseconds. */
export interface StepBar {
  key: string;
  kind: "model" | "tool" | "question" | "retry";
  title: string;
  from: number;
  /** `null`: it has not ended. */
  to: number | null;
}

/** Reads the steps of a journal, in order of their beginnings. */
export function readSteps(events: readonly RunEvent[]): StepBar[] {
  const bars: StepBar[] = [];
  const find = (kind: StepBar["kind"], key: string): StepBar | undefined =>
    bars.findLast((bar) => bar.kind === kind && bar.key === key && bar.to === null);
  for (const event of events) {
    const { at } = event;
    if (event.type === "step-started") {
      bars.push({ key: event.key, kind: "tool", title: event.title, from: at, to: null });
    }
    if (event.type === "step-finished") {
      const { key, kind, durationMs } = event;
      const open = find("tool", key);
      if (open !== undefined) open.to = at;
      else if (kind === "model")
        bars.push({ key, kind, title: key, from: at - durationMs, to: at });
    }
    if (event.type === "model-retried") {
      const { key, reason: title, delayMs } = event;
      bars.push({ key, kind: "retry", title, from: at, to: at + delayMs });
    }
    if (event.type === "approval-requested") {
      const { stepKey: key, title } = event.request;
      bars.push({ key, kind: "question", title, from: at, to: null });
    }
    if (event.type === "approval-answered") {
      const open = find("question", event.stepKey);
      if (open !== undefined) open.to = at;
    }
  }
  return bars.toSorted((one, other) => one.from - other.from);
}
