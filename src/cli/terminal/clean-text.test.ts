import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/any-character.ts";
import { cleanLine, cleanText, firstLine, revealText } from "./clean-text.ts";

describe("cleanText", () => {
  it("removes escape sequences, control characters and characters that reverse text", () => {
    expect(cleanText("a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\r\u0008e\u202ef\u200bg")).toBe(
      "abcdefg",
    );
  });

  it("keeps line breaks, tabs, emoji families and every script", () => {
    expect(cleanText("a\r\nb\tc 漢字 é 👨‍👩‍👧")).toBe("a\nb\tc 漢字 é 👨‍👩‍👧");
  });

  it("leaves no control character in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(cleanText(text).replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      }),
    );
  });
});

describe("cleanLine and firstLine", () => {
  it("make one line", () => {
    expect(cleanLine(" a\n\n  b\u2028c\t")).toBe("a bc");
    expect(firstLine("\n  \n first \nsecond")).toBe("first");
    expect(firstLine("")).toBe("");
  });
});

describe("revealText", () => {
  it("hides nothing", () => {
    expect(revealText("rm x\u001b[1A\r\n\ty\u202e\u{e0041}")).toBe(
      String.raw`rm x\x1b[1A\r` + "\n" + String.raw`\ty\u{202e}\u{e0041}`,
    );
  });

  it("leaves nothing that a terminal interprets", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(revealText(text).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});
