import { expect, it } from "vitest";
import { resultLine } from "./result-line.ts";

it.each([
  ["the first line of its text", { text: "\nDone.\nMore." }, "Done."],
  ["its text although it has an output", { text: "Done.", output: { a: 1 } }, "Done."],
  ["its output where it says nothing", { text: "", output: { a: [1, 2] } }, '{"a":[1,2]}'],
  ["a table over several lines", { text: '{\n  "a": [\n    1\n  ]\n}' }, '{ "a": [ 1 ] }'],
  ["nothing", { text: "" }, ""],
  ["nothing of an output of nothing", { text: "", output: null }, ""],
  ["no escape sequence", { text: "", output: "a\u001b[2J" }, '"a\\u001b[2J"'],
])("a run ended as %s", (_, result, line) => {
  expect(resultLine(result)).toBe(line);
});

it("a large output is cut", () => {
  expect(resultLine({ text: "", output: "x".repeat(1000) })).toHaveLength(160);
});
