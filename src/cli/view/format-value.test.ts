import { describe, expect, it } from "vitest";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatNumberOf,
  formatTime,
} from "./format-value.ts";

describe("formatting values", () => {
  it.each([
    [0, "0.0s"],
    [-5, "0.0s"],
    [440, "0.4s"],
    [9_949, "9.9s"],
    [9_950, "10s"],
    [59_600, "1m00s"],
    [185_000, "3m05s"],
    [7_620_000, "2h07m"],
    [273_600_000, "3d04h"],
  ])("writes %d milliseconds as %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it.each([
    [0, "0"],
    [999, "999"],
    [1_240, "1.2k"],
    [9_960, "10k"],
    [999_600, "1.0M"],
    [1_400_000, "1.4M"],
  ])("writes the count %d as %s", (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it("distinguishes an unknown cost from none", () => {
    expect([null, 0, 0.0042, 1.2].map(formatCost)).toEqual(["unknown", "$0", "$0.0042", "$1.20"]);
  });

  it("shows small costs with enough digits to add up", () => {
    const costs = [0.015, 0.03, 0.000_000_21, 0.1].map(formatCost);
    expect(costs).toEqual(["$0.015", "$0.030", "$0.00000021", "$0.10"]);
  });

  it("writes times in local time, and counts with their noun", () => {
    expect(formatTime(new Date(2026, 10, 21, 3, 5, 9).getTime())).toBe("2026-11-21 03:05:09");
    expect([formatNumberOf(1, "run"), formatNumberOf(0, "run")]).toEqual(["1 run", "0 runs"]);
  });
});
