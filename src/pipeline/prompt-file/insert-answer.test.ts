import { describe, expect, test } from "vitest";
import { insertAnswer } from "./insert-answer.ts";

const head = "```yaml\n#!meta\nwrite_answer: true\n```\n\nDo it.\n";

describe("an answer in a prompt file", () => {
  test("goes below a new separator line when the file has none", () => {
    expect(insertAnswer(head, "> Run: 1\n\nDone.\n")).toEqual({
      text: `${head}\n====\n\n> Run: 1\n\nDone.\n`,
    });
  });

  test("goes above notes and earlier answers, which are kept", () => {
    const before = `${head}\n====\n\n> Run: 1\n\nOld ==== answer.\n\n====\n\nMy notes.\n`;
    expect(insertAnswer(before, "> Run: 2\n\nNew.")).toEqual({
      text: `${head}\n====\n\n> Run: 2\n\nNew.\n\n====\n\n> Run: 1\n\nOld ==== answer.\n\n====\n\nMy notes.\n`,
    });
  });

  test("keeps line endings and the byte order mark, and ignores a separator inside a block", () => {
    const file = "\uFEFF---\r\na: 1\r\n---\r\n```\r\n\r\n====\r\n```\r\nGo.\r\n";
    expect(insertAnswer(file, "Done.\nAll.")).toEqual({
      text: `${file}\r\n====\r\n\r\nDone.\r\nAll.\r\n`,
    });
  });

  test.each([
    ["Look:\n\n```\nnever closed\n", /code block or the frontmatter above is never closed/],
    [`Go.\n\n====\n\n${"x".repeat(1024 * 1024)}`, /longer than 1048576 bytes/],
  ])(
    "is not written where it would become part of the prompt or make the file too long",
    (file, problem) => {
      expect(insertAnswer(file, "Done.")).toEqual({ problem: expect.stringMatching(problem) });
    },
  );
});
