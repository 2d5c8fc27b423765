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

test("the label of a trial begins with its case, model and number in 26 columns, and ends with its identity", () => {
  const [plan] = planTrials([one], {});
  if (plan === undefined) throw new Error("Expected a trial.");
  const label = labelOf("7f3q01c", plan, "judge 2");
  expect(label).toMatch(/^answers \[politely\]: in… #1 \[eval 7f3q01c \w{12}\.\w{6} judge 2\]$/);
  expect(readTrialIdentity(label)).toMatch(/^eval 7f3q01c \w{12}\.\w{6} judge 2$/);
});

test.each([
  ["scripted:replies/b.yaml", "answers [polite… b.yaml #2"],
  ["anthropic:claude-haiku-4-5", "answers [po… claude-ha… #2"],
  ["ollama:qwen3:8b", "answers [poli… qwen3:8b #2"],
  ["sonnet", "answers [polite… sonnet #2"],
])("the label of a trial with the model %s begins with %s", (model, title) => {
  const plan = planTrials([one], { models: [model], repeat: 2 }).at(-1);
  if (plan === undefined) throw new Error("Expected a trial.");
  expect(labelOf("7f3q01c", plan, "trial").split(" [eval ")[0]).toBe(title);
  expect(title.length).toBeLessThanOrEqual(26);
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
