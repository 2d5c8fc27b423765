import { expect, test } from "vitest";
import type { Run, RunEvent } from "../../host.ts";
import { formatLog } from "./log-line.ts";

const run = { agent: "main", label: null, depth: 0 } as Run;

function ended(value: unknown): string[] {
  const event = { type: "step-finished", kind: "tool", key: "tool/1/0", value } as RunEvent;
  return formatLog(event, run, 1500);
}

test("a log says why a call failed, on one line, and nothing of other calls", () => {
  expect(ended({ text: "\u001b[31mUnknown agent: x.\nMore.", isError: true })).toEqual([
    "   1.5s  main got an error: Unknown agent: x.",
  ]);
  expect(ended({ exitCode: 1, endedBy: null, output: "2 tests failed" })).toEqual([
    "   1.5s  main got an error: exit code 1",
  ]);
  expect(ended({ text: "fine" })).toEqual([]);
  expect(ended(null)).toEqual([]);
});
