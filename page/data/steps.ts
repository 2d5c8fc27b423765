// The journal of a run as bars of a timeline.

import type { JournalEvent } from "./types.ts";

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
export function readSteps(events: readonly JournalEvent[]): StepBar[] {
  const bars: StepBar[] = [];
  const open = new Map<string, StepBar>();
  const begin = (bar: StepBar): void => {
    bars.push(bar);
    open.set(`${bar.kind} ${bar.key}`, bar);
  };
  for (const event of events) {
    const { type, key = "", at, title = "", durationMs = 0 } = event;
    if (type === "step-started") begin({ key, kind: "tool", title, from: at, to: null });
    if (type === "step-finished" && event.kind !== "note") {
      const bar = open.get(`tool ${key}`);
      if (bar !== undefined) bar.to = at;
      else if (event.kind === "model") {
        bars.push({ key, kind: "model", title: key, from: at - durationMs, to: at });
      }
    }
    if (type === "model-retried") {
      const delayMs = Number(event["delayMs"]);
      const reason = String(event["reason"]);
      bars.push({ key, kind: "retry", title: reason, from: at, to: at + delayMs });
    }
    if (type === "approval-requested") {
      const request = event["request"] as { stepKey: string; title: string };
      begin({ key: request.stepKey, kind: "question", title: request.title, from: at, to: null });
    }
    if (type === "approval-answered") {
      const bar = open.get(`question ${String(event["stepKey"])}`);
      if (bar !== undefined) bar.to = at;
    }
  }
  return bars.toSorted((one, other) => one.from - other.from);
}
