import { expect, test } from "vitest";
import { defaultConfig } from "../config/config.ts";
import { checkPolicy, type DelegationPolicy } from "./delegation-policy.ts";

const rules = { allow: [], ask: [], deny: [] };
const root = { depth: 0, model: "anthropic:sonnet", policies: [{ mode: "auto" as const, rules }] };

function check(policy: Partial<DelegationPolicy>, parent = {}, model: string | null = null) {
  return () =>
    checkPolicy({ ...defaultConfig.delegation, ...policy }, { ...root, ...parent }, model);
}

test("everything is allowed by default", () => {
  const parent = { depth: 2, model: "google:gemini", policies: [{ mode: "plan", rules }] };
  expect(check({}, parent, "google:gemini")).not.toThrow();
});

test("without nesting only a root run delegates", () => {
  expect(check({ nested: false })).not.toThrow();
  expect(check({ nested: false }, { depth: 1 })).toThrow("Subagents cannot create other subagents");
});

test("an agent on a denied model cannot delegate, and cannot be delegated to", () => {
  const policy = { denyModels: ["google:*", "*gemini*"] };
  expect(check(policy, {}, "openai:gpt")).not.toThrow();
  expect(check(policy, {}, "google:any")).toThrow("delegation.denyModels: google:*");
  expect(check(policy, {}, "record:talk=google:any")).toThrow("delegation.denyModels: google:*");
  expect(check(policy, { model: "router:my-gemini-2" })).toThrow("*gemini*");
  expect(check(policy, { model: null })).not.toThrow();
});

test("a required mode auto applies to every level", () => {
  const policies = [...root.policies, { mode: "ask" as const, rules }];
  expect(check({ requireMode: "auto" })).not.toThrow();
  expect(check({ requireMode: "auto" }, { policies })).toThrow("the mode is ask");
});
