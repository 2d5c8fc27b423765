import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, padText, textWidth, wrapText } from "./text-width.ts";

describe("textWidth", () => {
  it("counts columns, not characters", () => {
    expect(textWidth("abc")).toBe(3);
    expect(textWidth("漢字")).toBe(4);
    expect(textWidth("e\u0301")).toBe(1);
    expect(textWidth("👨‍👩‍👧 ok")).toBe(5);
    expect(textWidth("├─ ✓")).toBe(4);
  });
});

describe("cutText", () => {
  it("marks the cut, and never splits a wide character", () => {
    expect(cutText("abcdef", 6)).toBe("abcdef");
    expect(cutText("abcdefg", 6)).toBe("abcde…");
    expect(cutText("漢字漢字", 6)).toBe("漢字…");
    expect(cutText("abc", 0)).toBe("");
  });

  it("never exceeds its columns", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "漢", "é", "👍", " ") });
    fc.assert(
      fc.property(text, fc.nat(20), (line, columns) => {
        expect(textWidth(cutText(line, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe("padText and wrapText", () => {
  it("fill lines and break them at columns, without losing text", () => {
    expect(padText("漢", 4)).toBe("漢  ");
    expect(wrapText("ab漢字cd", 4)).toEqual(["ab漢", "字cd"]);
    expect(wrapText("", 4)).toEqual([""]);
  });
});
