import { expect, test } from "vitest";
import type { LoadedCase } from "../../eval/eval-file.ts";
import { labelOf, planTrials, readTrialIdentity } from "./trial-plan.ts";

const one: LoadedCase = {
  name: "answers [politely]: in a sentence that is far too long",
  task: "Say please.",
  agent: "main",
  delegation: "run",
  repeat: 1,
  pass: 1,
  path: "/project/evals.yaml",
};

test("the label of a trial begins with its case and number, and ends with its identity", () => {
  const [plan] = planTrials([one], {});
  if (plan === undefined) throw new Error("Expected a trial.");
  const label = labelOf("7f3q01c", plan, "judge 2");
  expect(label).toMatch(
    /^answers \[politely\]: in a sente #1 \[eval 7f3q01c \w{12}\.\w{6} judge 2\]$/,
  );
  expect(readTrialIdentity(label)).toMatch(/^eval 7f3q01c \w{12}\.\w{6} judge 2$/);
});

test("the label of an earlier version has the same identity, and that of another run none", () => {
  const early = "eval 7f3q01c 0123456789ab.abcdef trial: answers [politely] #1";
  expect(readTrialIdentity(early)).toBe("eval 7f3q01c 0123456789ab.abcdef trial");
  expect([null, "", "nightly [eval]"].map(readTrialIdentity)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("the label of a case whose name looks like an early label has its own identity", () => {
  const [plan] = planTrials([{ ...one, name: "eval the long answer: why" }], {});
  if (plan === undefined) throw new Error("Expected a trial.");
  expect(readTrialIdentity(labelOf("7f3q01c", plan, "trial"))).toMatch(
    /^eval 7f3q01c \w{12}\.\w{6} trial$/,
  );
});
