import { expect, test } from "vitest";
import {
  isForAbsentTool,
  describeRuleProblem,
  isRuleProblem,
  parseRule,
} from "./permission-rule.ts";

test.each(["Bash", "Bash(a (b))", "mcp__a__*", "Agent(reviewer)", "*", "WebFetch(domain:a.b)"])(
  "%s can be used",
  (rule) => {
    expect(describeRuleProblem(rule)).toBeNull();
  },
);

test.each([
  "Bash(ls",
  "",
  "Bash()",
  "(Bash)",
  "WebFetch(domain:)",
  "Bash rm",
  "WebFetch(domain:a/b)",
])("%j is not understood, and the suggested form is", (rule) => {
  const problem = parseRule(rule);
  if (!isRuleProblem(problem)) throw new Error("expected a problem");
  expect(describeRuleProblem(rule)).toContain(problem.fix);
  expect(describeRuleProblem(problem.fix)).toBeNull();
});

test("an unknown tool is named with the nearest known one", () => {
  expect(describeRuleProblem("bash(rm *)")).toContain("Did you mean `Bash`?");
  expect(describeRuleProblem("Frobnicate")).toContain("There is no tool Frobnicate");
});

test("a rule may name a tool of the program, and its typo is found", () => {
  expect(describeRuleProblem("lookup(customer:*)", ["lookup"])).toBeNull();
  expect(describeRuleProblem("lokup", ["lookup"])).toContain("Did you mean `lookup`?");
  expect(describeRuleProblem("lookup")).toContain("Write `lookup*` for a tool that only a program");
});

test("a rule for an absent tool is distinguished from a misspelt one and from one of another form", () => {
  expect(isForAbsentTool("lookup(customer:*)")).toBe(true);
  expect(["Bsh", "lookup()", "Bash(x)", "lookup*"].map((rule) => isForAbsentTool(rule))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(isForAbsentTool("lookup", ["lookup"])).toBe(false);
});
