import { expect, test } from "vitest";
import { unpainted, type Paint } from "../../terminal/paint.ts";
import { createHighlightCode } from "./highlight-code.ts";
import { languages } from "./languages.ts";

const marked: Paint = (style, text) => (text === "" ? "" : `<${style}>${text}</>`);

test("words of a language have styles, on each of their lines", () => {
  const highlight = createHighlightCode(marked);
  expect(highlight('const a = "b"; // c', "typescript")).toEqual([
    expect.stringContaining("<magenta>const</>"),
  ]);
  expect(highlight("/* a\n b */\nlet", "js title=x.js")).toEqual([
    expect.stringMatching(/^<dim>\/\* a<\/>$/),
    expect.stringMatching(/^<dim> b \*\/<\/>$/),
    "<magenta>let</>",
  ]);
  expect(highlight("if True:\n    return 1", "python").join("\n")).toContain("<magenta>return</>");
});

test("code of an unknown language has one colour", () => {
  const highlight = createHighlightCode(marked);
  expect(highlight("let a\n", "cobol")).toEqual(["<cyan>let a</>", ""]);
  expect(highlight("let a")).toEqual(["<cyan>let a</>"]);
  expect(highlight("x", "constructor")).toEqual(["<cyan>x</>"]);
});

test("the text stays as it is, whatever it is", () => {
  const highlight = createHighlightCode(unpainted);
  const codes = [
    "",
    "\n",
    "\n\na\n",
    "'",
    "`${",
    "/*",
    "<a b='",
    "x".repeat(5000),
    "a\n".repeat(3000),
  ];
  for (const language of Object.keys(languages)) {
    for (const code of codes) expect(highlight(code, language).join("\n")).toBe(code);
  }
});

test("malicious code does not hold up the screen", () => {
  const highlight = createHighlightCode(unpainted);
  const before = process.cpuUsage();
  for (const piece of ["\n", "\t", "a", "@", "1e", "["]) {
    for (const language of ["ts", "ini", "lua"]) {
      highlight(piece.repeat(20_000 / piece.length), language);
    }
  }
  const { user } = process.cpuUsage(before);
  // Read as a whole, these took 20 seconds.
  expect(user / 1e6).toBeLessThan(3);
});
