import { describe, expect, it } from "vitest";
import { parseDuration, parseSeconds } from "./parse-duration.ts";

describe("parseSeconds", () => {
  it("reads seconds and times with a unit, and nothing else", () => {
    expect(["300", "0.5", "90s", "5m", "2h"].map(parseSeconds)).toEqual([300, 0.5, 90, 300, 7200]);
    for (const text of ["", "0", "0m", "-1", "m", "1.5h", "5 m", "Infinity"]) {
      expect(() => parseSeconds(text)).toThrow("Expected seconds above 0, or a time such as 90s");
    }
  });
});

describe("parseDuration", () => {
  it("reads durations, and nothing else", () => {
    expect(["30d", "2w", "0s"].map(parseDuration)).toEqual([2_592_000_000, 1_209_600_000, 0]);
    for (const text of ["", "30", "d", "-1d", "1.5h", "1 d", "1y"]) {
      expect(() => parseDuration(text)).toThrow("Expected a time such as 2w, 30d, 12h, 10m or 0s.");
    }
  });
});
