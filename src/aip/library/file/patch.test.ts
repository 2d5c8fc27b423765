import { describe, expect, test } from "vitest";
import { applyPatch } from "./patch.ts";

/** Lines of a file or a patch. */
const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join("");

describe("a hunk finds its place", () => {
  test.each<[string, string, string, string]>([
    ["by its lines", text("a", "b", "c"), text("@@ -7,2 +7,2 @@", " a", "-b", "+B"), "a\nB\nc\n"],
    [
      "without a header, or between those of git",
      text("a", "b"),
      text("--- a/x", "+++ b/x", "-b"),
      "a\n",
    ],
    [
      "nearest to the hunk before it, when there are several",
      text("x", "1", "x", "2", "x", "3"),
      text("@@", "-2", "+two", "@@", " x", "+y"),
      "x\n1\nx\ntwo\nx\ny\n3\n",
    ],
    [
      "before the hunk that was before it",
      text("a", "b"),
      text("@@", "-b", "+B", "@@", "-a", "+A"),
      "A\nB\n",
    ],
    [
      "with other spaces, which stay as they are in the file",
      text("\tif  x {", "\t\ty", "\t}"),
      text("@@", " if x {", "-y", "+\t\tz", " }"),
      "\tif  x {\n\t\tz\n\t}\n",
    ],
    [
      "in the exact lines rather than in similar ones",
      text("  a", "a"),
      text("@@", "-a", "+b"),
      "  a\nb\n",
    ],
    [
      "with other punctuation and case",
      text("Use `x`, please.", "let y = 1;"),
      text("@@", " use x, please", "-let y = 1", "+let y = 2;"),
      "Use `x`, please.\nlet y = 2;\n",
    ],
    [
      "by the end of a long line",
      text("const greeting = makeGreeting(name);", "b"),
      text("@@", " makeGreeting(name);", "-b", "+c"),
      "const greeting = makeGreeting(name);\nc\n",
    ],
    [
      "where empty lines were left out, which stay",
      text("a", "", "", "b"),
      text("@@", " a", "-b", "+c"),
      "a\n\n\nc\n",
    ],
    [
      "where an empty line was put in, which comes",
      text("a", "b", "c"),
      text("@@", " a", "", "-b", "+B", " c"),
      "a\n\nB\nc\n",
    ],
    [
      "with lines behind the end of the file",
      text("aa", "bb", "cc"),
      text("@@", " aa", " bb", "-cc", "+C", " dd"),
      "aa\nbb\nC\n",
    ],
    [
      "at the end, when it has only additions",
      text("a", "", ""),
      text("@@", "+", "+b"),
      "a\n\n\nb\n",
    ],
    ["in a file without content", "", text("@@", " a", "+b", "-c"), "a\nb\n"],
    [
      "around a range",
      text("a", "1", "2", "3", "", "4", "5", "b"),
      text("@@", " a", "-1", "-2", "~", "-4", "-5", "+new", " b"),
      "a\nnew\nb\n",
    ],
    [
      "within the lines other tools put around",
      text("a"),
      text("*** Begin Patch", "*** Update File: x", "@@", "-a", "+b", "*** End Patch"),
      "b\n",
    ],
    ["in lines without an end", "a\nb", text("@@", "-b", "+c"), "a\nc\n"],
    ["in lines of Windows", "a\r\nb\r\n", text("@@", " a", "+x"), "a\r\nx\r\nb\r\n"],
  ])("%s", (_, content, patch, expected) => {
    expect(applyPatch(content, patch)).toMatchObject({ content: expected, failed: [] });
  });
});

describe("a hunk finds no place", () => {
  test.each([
    ["when a line is missing", text("a", "b"), text("@@", " a", "-c")],
    [
      "when the line is only in a comment",
      text("// do something", "x"),
      text("@@", " do something", "-x"),
    ],
    ["when most of it is behind the end", text("a"), text("@@", " a", " b", "-c")],
    [
      "when a range is held by one line",
      text("1", "2", "3", "4"),
      text("@@", "-1", "~", "-3", "-4"),
    ],
  ])("%s", (_, content, patch) => {
    const result = applyPatch(content, patch);
    expect(result).toMatchObject({ content, hunks: 1 });
    expect(result.failed).toEqual([{ hunk_body: patch.trimEnd(), cause: expect.any(String) }]);
  });
});

test("hunks are applied even when others fail, and hunks without changes do not count", () => {
  const patch = text("@@", " a", "@@", "-gone", "+x", "@@", "-b", "+B");
  expect(applyPatch(text("a", "b"), patch)).toEqual({
    content: "a\nB\n",
    failed: [{ hunk_body: "@@\n-gone\n+x", cause: expect.stringContaining("not in the file") }],
    hunks: 2,
  });
});
