import { expect, test } from "vitest";
import { decide } from "../../tool/permission/permission.ts";
import { ownPolicy } from "./own-policy.ts";

const rules = { allow: [], ask: [], deny: ["Bash"] };
const call = { tool: "Read", subject: "a.txt", access: "read" } as unknown as Parameters<
  typeof decide
>[1];

test("a definition with rules only is not said to have a mode", () => {
  const [policy] = ownPolicy({ name: "reviewer", permissions: rules });
  expect(policy).toMatchObject({ mode: "auto", hasOnlyRules: true });
  const reasons = decide(policy === undefined ? [] : [policy], call).levels;
  expect(reasons).toEqual([{ decision: "allow", reason: "no rule of agent reviewer" }]);
});

test("a definition with a mode is", () => {
  const policies = ownPolicy({ name: "reviewer", permissionMode: "auto", permissions: rules });
  expect(decide(policies, call).levels).toEqual([
    { decision: "allow", reason: "mode auto of agent reviewer" },
  ]);
});
