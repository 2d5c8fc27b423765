import { describe, expect, test } from "vitest";
import { userMessage } from "../conversation.ts";
import { estimateTextTokens, estimateTokens } from "./estimate-tokens.ts";

describe("an estimate of tokens", () => {
  test.each([
    ["English", "The quick brown fox jumps over the lazy dog, and nobody minds.", 0.25, 0.35],
    ["Chinese", "我们需要在明天之前完成这个项目的所有测试工作", 1, 1.5],
    ["Russian", "Нам нужно закончить все тесты до завтрашнего утра", 0.3, 0.5],
  ])("of %s text goes by its script", (_, text, least, most) => {
    const each = estimateTextTokens(text) / text.length;
    expect(each).toBeGreaterThanOrEqual(least);
    expect(each).toBeLessThanOrEqual(most);
  });

  test("grows with every part of a text", () => {
    expect(estimateTextTokens("")).toBe(0);
    const mixed = estimateTextTokens("abc中文😀");
    expect(mixed).toBeCloseTo(3 / 3.5 + 2 * 1.2 + 2 * 1.5);
  });

  test("counts a picture as a fixed number, whatever the length of its base64", () => {
    const image = { mediaType: "image/png", data: "A".repeat(1_000_000) };
    const tokens = estimateTokens([userMessage("look", [image, image])]);
    expect(tokens).toBeGreaterThanOrEqual(3000);
    expect(tokens).toBeLessThan(4000);
  });
});
