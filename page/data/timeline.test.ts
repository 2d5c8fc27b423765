import { describe, expect, test } from "vitest";
import { move, segmentsOf, ticksOf, zoom } from "./timeline.ts";
import type { StepSpan } from "./types.ts";

function step(kind: StepSpan["kind"], key: string, from: number, to: number | null): StepSpan {
  return { kind, key, title: key, from, to };
}

const span = { from: 0, to: 4000 };

describe("the bar of a run", () => {
  test("shows what it waited for below what it did, and calls that started runs as waits", () => {
    const steps = [
      step("model", "model/1", 0, 500),
      step("tool", "tool/1/0", 500, 900),
      step("tool", "tool/1/1", 500, null),
      step("question", "tool/2/0", 1000, 1500),
      step("event", "pipeline/0", 0, 0),
    ];
    const childSteps = new Set(["tool/1/1"]);
    const segments = segmentsOf({ steps, lastSeq: 9 }, { childSteps, span, end: 3000 });
    expect(segments.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ["children", 500, 3000],
      ["tool", 500, 900],
      ["model", 0, 500],
      ["question", 1000, 1500],
    ]);
  });

  test("joins what nobody can tell apart, so that a thousand calls are few elements", () => {
    const steps = Array.from({ length: 1000 }, (_, index) =>
      step("tool", `tool/${index}`, index * 4, index * 4 + 2),
    );
    const all = { childSteps: new Set<string>(), end: 4000 };
    expect(segmentsOf({ steps, lastSeq: 0 }, { ...all, span })).toEqual([
      { kind: "tool", from: 0, to: 3998 },
    ]);
    const near = { from: 0, to: 400 };
    expect(segmentsOf({ steps, lastSeq: 0 }, { ...all, span: near })).toHaveLength(1000);
  });
});

describe("a timeline", () => {
  test("has few ticks at round times since its beginning", () => {
    expect(ticksOf({ from: 1000, to: 38_000 }, 1000)).toEqual([
      { at: 1000, label: "0" },
      { at: 11_000, label: "10s" },
      { at: 21_000, label: "20s" },
      { at: 31_000, label: "30s" },
    ]);
    expect(ticksOf({ from: 5_500, to: 5_700 }, 5000)[0]).toEqual({ at: 5500, label: "500ms" });
    for (const width of [1, 17, 999, 61_000, 7_300_000, 9e9]) {
      expect(ticksOf({ from: 0, to: width }, 0).length).toBeLessThanOrEqual(7);
    }
  });

  test("shows a part of its time, never more than all of it", () => {
    const near = zoom(span, span, 0.5, 0.5);
    expect(near).toEqual({ from: 1000, to: 3000 });
    expect(zoom(near, span, 2)).toEqual(span);
    expect(zoom(near, span, 100, 0)).toEqual(span);
    expect(move(near, span, 10)).toEqual({ from: 2000, to: 4000 });
    expect(move(near, span, -0.25)).toEqual({ from: 500, to: 2500 });
    const nearest = zoom(span, span, 1e-9);
    expect(nearest.to - nearest.from).toBe(10);
  });
});
