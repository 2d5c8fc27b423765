import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { describeRuleProblem, isForAbsentTool } from "../../run/permission-rule.ts";
import type { ApprovalAnswer } from "../../run/permission.ts";
import { closedObject } from "../../source/closed-object.ts";
import { isRecord } from "../../source/json.ts";
import { checked, listIssues, nonEmptyText } from "./field.ts";
import { onFirstUse } from "../../on-first-use.ts";

const answers = onFirstUse(() => {
  const rule = checked((value) => {
    if (typeof value !== "string") return "expected a rule such as `Bash(npm test*)`";
    return isForAbsentTool(value) ? null : describeRuleProblem(value);
  });
  return {
    once: closedObject({ decision: z.literal("allow"), scope: z.enum(["once", "always"]) }),
    rule: closedObject({ decision: z.literal("allow"), scope: z.literal("rule"), rule }),
    deny: closedObject({ decision: z.literal("deny"), reason: nonEmptyText.optional() }),
  };
});

/** The schema of an answer to a question. */
export const approvalAnswerSchema: z.ZodType = z.lazy(() => z.union(Object.values(answers())));

/**
 * Checks an answer to a question, which may be any value.
 *
 * @throws CadreError `invalid-argument`.
 */
export function checkAnswer(answer: unknown): asserts answer is ApprovalAnswer {
  const { decision, scope } = isRecord(answer) ? answer : {};
  const kind = decision === "deny" ? "deny" : scope === "rule" ? "rule" : "once";
  const { error } = answers()[kind].safeParse(answer);
  if (error === undefined) return;
  const message = `Expected an answer such as { decision: "allow", scope: "once" | "always" }, { decision: "allow", scope: "rule", rule } or { decision: "deny", reason? }:${listIssues(error)}`;
  throw new CadreError("invalid-argument", message);
}
