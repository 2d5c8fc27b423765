import { expect, test } from "vitest";
import { addUp, toDays, toGroups } from "./usage.ts";
import type { UsagePeriod } from "./types.ts";

function period(day: string, group: string | null, cost: number | null): UsagePeriod {
  return { start: `${day}T00:00:00.000Z`, group, runs: 1, inputTokens: 10, outputTokens: 5, cost };
}

const periods = [
  period("2026-11-24", "a", 1),
  period("2026-11-25", "a", 2),
  period("2026-11-25", "b", 5),
  period("2026-11-25", null, null),
];

test("the use of days has the days without runs, and a cost is unknown when one of its parts is", () => {
  const days = toDays(periods, Date.parse("2026-11-25T12:00:00Z"), 3);
  expect(days.map(({ name, runs, tokens, cost }) => [name, runs, tokens, cost])).toEqual([
    ["2026-11-23", 0, 0, 0],
    ["2026-11-24", 1, 15, 1],
    ["2026-11-25", 3, 45, null],
  ]);
});

test("groups come with the dearest first", () => {
  expect(toGroups(periods).map(({ name, cost }) => [name, cost])).toEqual([
    ["b", 5],
    ["a", 3],
    ["none", null],
  ]);
  expect(addUp("all", toGroups(periods))).toMatchObject({ name: "all", runs: 4, cost: null });
});
