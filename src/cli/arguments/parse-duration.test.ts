import { describe, expect, it } from "vitest";
import { parseDuration } from "./parse-duration.ts";

describe("parseDuration", () => {
  it("reads durations, and nothing else", () => {
    expect(["30d", "2w", "0s"].map(parseDuration)).toEqual([2_592_000_000, 1_209_600_000, 0]);
    for (const text of ["", "30", "d", "-1d", "1.5h", "1 d", "1y"]) {
      expect(() => parseDuration(text)).toThrow("Expected a time such as 2w, 30d, 12h, 10m or 0s.");
    }
  });
});
