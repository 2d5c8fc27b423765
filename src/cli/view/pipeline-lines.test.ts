import { expect, test } from "vitest";
import { describePipeline } from "./pipeline-lines.ts";

const item = (event: string, agent_result: unknown): object => ({
  config: { name: "review" },
  event,
  agent_result,
  success: true,
  error: null,
});
const linesOf = (sub_agents: unknown[], files_changed: unknown[] = []): string[] =>
  describePipeline({ responses: [], files_changed, sub_agents }, "cadre show 7f3q01c");

test("the lines of a pipeline name the files it changed, and the results of its agents at `end`", () => {
  const agents = [
    item("start", "a plan"),
    item("end", "Good.\nBut slow.\n"),
    item("end", null),
    item("review::done", { score: 5 }),
  ];
  expect(linesOf(agents, ["src/a.ts", "b\u001b[1m.md"])).toEqual([
    "changed: src/a.ts, b.md",
    "review (end): Good.",
    "  But slow.",
    'review (review::done): {"score":5}',
  ]);
  expect(linesOf([item("start", "a plan")])).toEqual([]);
});

test("long text is cut, with a hint how to see all of it", () => {
  const files = Array.from({ length: 22 }, (_, index) => `f${index}`);
  expect(linesOf([], files)).toEqual([expect.stringMatching(/^changed: f0, .*, f19 and 2 more$/)]);
  const many = linesOf([item("end", "x\n".repeat(30))]);
  expect(many).toHaveLength(21);
  expect(many.at(-1)).toBe("  … (all of it: cadre show 7f3q01c)");
  expect(linesOf([item("end", "x".repeat(3000))])[0]).toHaveLength(2014);
});

test.each([undefined, null, "text", [], {}, { files_changed: [], sub_agents: {} }])(
  "the output %j of another run has no lines",
  (output) => {
    expect(describePipeline(output, "cadre show last")).toEqual([]);
  },
);
