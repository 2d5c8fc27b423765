import { expect, test } from "vitest";
import { readRecordedOutcome } from "./read-recorded-outcome.ts";

test.each([
  [
    { text: "done", output: { n: 1 } },
    { text: "done", isError: false, output: { n: 1 } },
  ],
  [
    { text: "no such file", isError: true },
    { text: "no such file", isError: true },
  ],
  [
    { exitCode: 0, endedBy: null, output: "fine" },
    { text: "fine", isError: false },
  ],
  [
    { exitCode: 3, endedBy: null, output: "bad" },
    { text: "exit code 3\nbad", isError: true },
  ],
  [
    { exitCode: 0, endedBy: "timeout", output: "" },
    { text: "exit code 0\n", isError: true },
  ],
  [
    { text: 7, isError: "yes" },
    { text: "7", isError: false },
  ],
  ["text", { text: "text", isError: false }],
  [null, { text: "null", isError: false }],
  [undefined, { text: "", isError: false }],
])("the outcome %j of a journal is read as %j", (value, outcome) => {
  expect(readRecordedOutcome(value)).toEqual(outcome);
});
