import { expect, test } from "vitest";
import { shownText } from "./shown-text.ts";

const runId = "mws7lk5q-ipzf0un";
const long = JSON.stringify({ files: Array.from({ length: 30 }, (_, n) => `f${n}`) }, null, 2);

test.each([
  ["JSON", long],
  ["JSON on one line", JSON.stringify({ text: "x".repeat(3000) })],
  ["several tables", `${long}\n\n${long}`],
])("long %s is one line on a terminal, and whole elsewhere", (_, text) => {
  expect(shownText({ runId, text }, true)).toMatch(
    /^The result is JSON \([\d,]+ lines?, [\d,]+ characters\): read it with `cadre show ipzf0un`\.$/,
  );
  expect(shownText({ runId, text }, false)).toBe(text);
});

test.each([
  ["short JSON", '{\n  "a": 1\n}'],
  ["a long text", "word\n".repeat(100)],
  ["a text that begins like JSON", `{${"\nnot json".repeat(50)}\n}`],
  ["JSON behind words", `Here it is:\n\n${long}`],
])("%s is shown unchanged", (_, text) => {
  expect(shownText({ runId, text }, true)).toBe(text);
});
