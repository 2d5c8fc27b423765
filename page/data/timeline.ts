/** A timeline: its ticks, its zoom, and the bars of a run. */

import { formatDuration } from "../../src/cli/view/format-value.ts";
import type { Span } from "./family.ts";
import type { RunSteps, ServedRun } from "./types.ts";

/** The activity of a run during a part of its time. `children` means that it waited for runs that it started. */
export type SegmentKind = "model" | "tool" | "children" | "question" | "retry";

/** A part of a bar. Times are epoch milliseconds. */
export interface Segment {
  kind: SegmentKind;
  from: number;
  to: number;
}

/** The part of the timeline below which the gap between two segments is not visible. */
const finest = 1 / 400;

/** Returns the segments of a run. `childSteps` are the run's steps that started other runs. */
export function segmentsOf(
  { steps }: RunSteps,
  { childSteps, span, end }: { childSteps: ReadonlySet<string>; span: Span; end: number },
): Segment[] {
  const least = (span.to - span.from) * finest;
  const last = new Map<SegmentKind, Segment>();
  const segments: Segment[] = [];
  for (const { kind: done, key, from, to } of steps) {
    if (done === "event") continue;
    const kind = done === "tool" && childSteps.has(key) ? "children" : done;
    const before = last.get(kind);
    if (before !== undefined && from - before.to < least) {
      before.to = Math.max(before.to, to ?? end);
      continue;
    }
    const segment: Segment = { kind, from, to: to ?? end };
    last.set(kind, segment);
    segments.push(segment);
  }
  // A wait covers the work below it, so it is drawn first.
  return segments.toSorted((one, other) => rank(one.kind) - rank(other.kind));
}

function rank(kind: SegmentKind): number {
  return ["children", "tool", "model", "retry", "question"].indexOf(kind);
}

/** Returns each run's steps that started other runs, by the id of the run. */
export function findChildSteps(runs: readonly ServedRun[]): Map<string, Set<string>> {
  const steps = new Map<string, Set<string>>();
  for (const { parentId, parentStep } of runs) {
    if (parentId === null || parentStep === null) continue;
    const own = steps.get(parentId);
    if (own === undefined) steps.set(parentId, new Set([parentStep]));
    else own.add(parentStep);
  }
  return steps;
}

const seconds = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const minutes = [1, 2, 5, 10, 15, 30];
const hours = [1, 2, 4, 8, 12, 24, 48, 168];
const stepsMs = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, ...seconds].map((count) => count * 1000),
  ...minutes.map((count) => count * 60_000),
  ...hours.map((count) => count * 3_600_000),
];

/** Returns at most six ticks of a part of a timeline, labelled with the time since `origin`. */
export function ticksOf(span: Span, origin: number): { at: number; label: string }[] {
  const width = span.to - span.from;
  const step = stepsMs.find((one) => width / one <= 6) ?? width / 4;
  const first = Math.ceil((span.from - origin) / step) * step;
  const count = Math.max(0, Math.floor((span.to - origin - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => {
    const since = first + index * step;
    const label = since === 0 ? "0" : formatTick(since, step);
    return { at: origin + since, label };
  });
}

function formatTick(since: number, step: number): string {
  return step < 100 ? `${Math.round(since)}ms` : formatDuration(since);
}

/** The minimum length of the visible part of a timeline, in milliseconds. */
const minMs = 10;

/** Shows less (`factor` below 1) or more of a timeline around the position `at` (0 to 1) of the visible part, never beyond `whole`. */
export function zoom(seen: Span, whole: Span, factor: number, at = 0.5): Span {
  const width = Math.max(minMs, Math.min(whole.to - whole.from, (seen.to - seen.from) * factor));
  const from = seen.from + at * (seen.to - seen.from - width);
  return move({ from, to: from + width }, whole, 0);
}

/** Moves the visible part by a fraction of its width, never beyond `whole`. */
export function move({ from, to }: Span, whole: Span, by: number): Span {
  const width = Math.min(to - from, whole.to - whole.from);
  const begin = Math.min(Math.max(from + by * width, whole.from), whole.to - width);
  return { from: begin, to: begin + width };
}
