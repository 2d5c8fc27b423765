import { expect, test } from "vitest";
import { type ApprovalAnswer, describeApproval } from "./permission.ts";

test.each<[ApprovalAnswer, string]>([
  [{ decision: "allow", scope: "once" }, "allowed (once)"],
  [{ decision: "allow", scope: "always" }, "allowed (always)"],
  [{ decision: "allow", scope: "rule", rule: "Bash(git *)" }, "allowed by the rule Bash(git *)"],
  [{ decision: "deny" }, "denied"],
  [{ decision: "deny", reason: "not on Fridays" }, "denied: not on Fridays"],
])("%j is described as %s", (answer, text) => {
  expect(describeApproval(answer)).toBe(text);
});
