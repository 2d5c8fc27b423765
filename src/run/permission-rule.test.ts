import { expect, test } from "vitest";
import { describeRuleProblem, isRuleProblem, parseRule } from "./permission-rule.ts";

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
])("%j cannot be understood, and the form to write can", (rule) => {
  const problem = parseRule(rule);
  if (!isRuleProblem(problem)) throw new Error("expected a problem");
  expect(describeRuleProblem(rule)).toContain(problem.fix);
  expect(describeRuleProblem(problem.fix)).toBeNull();
});

test("a tool that there is not is named with the nearest one", () => {
  expect(describeRuleProblem("bash(rm *)")).toContain("Did you mean `Bash`?");
  expect(describeRuleProblem("Frobnicate")).toContain("There is no tool Frobnicate");
});
