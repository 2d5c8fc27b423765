import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseNative } from "../native/native.ts";
import { writeRetry } from "../write/write-retry.ts";

function parse(retry: string): AgentDefinition {
  const text = `---\nname: helper\ndescription: Helps.\nretry: ${retry}\n---\nDo it.\n`;
  return parseNative({ path: "/p/.cadre/agents/helper.md", text, scope: "project" });
}

const policy = {
  maxRetries: 2,
  checks: [{ type: "shell", command: "npm test" }],
  onFailure: "git stash",
  timeoutSeconds: 60,
  onFailureTimeoutSeconds: 30,
} as const;

describe("retry in an agent file", () => {
  test.each([
    "{ max_retries: 2, checks: [npm test], on_failure: git stash, timeout_seconds: 60, on_failure_timeout_seconds: 30 }",
    "{ maxRetries: 2, checks: npm test, onFailure: git stash, timeoutSeconds: 60, onFailureTimeoutSeconds: 30 }",
    "{ max_retries: 2, checks: [{ type: shell, command: npm test }], on_failure: git stash, timeout_seconds: 60, on_failure_timeout_seconds: 30 }",
  ])("is read as %s", (written) => {
    expect(parse(written)).toMatchObject({ retry: policy, diagnostics: [] });
  });

  test("is written as it is read", () => {
    expect(parse(JSON.stringify(writeRetry(policy))).retry).toEqual(policy);
    expect(parse("{ max_retries: 1 }").retry).toEqual({ maxRetries: 1, checks: [] });
  });

  test.each([
    ["{ checks: [npm test] }", "Expected `retry.max_retries`, got nothing."],
    ["{ max_retries: 0 }", "Expected `retry.max_retries` to be a whole number from 1 to 1000"],
    ["{ max_retries: 1, checks: [5] }", "Expected `retry.checks` to be a list of shell commands"],
    ["{ max_retries: 1, checks: [{ type: lua, command: x }] }", "Expected `retry.checks` to be"],
    ["{ max_retries: 1, on_failure: [] }", "Expected `retry.on_failure` to be a shell command"],
    [
      "{ max_retries: 1, timeout_seconds: soon }",
      "Expected `retry.timeout_seconds` to be a number",
    ],
    ["{ max_retries: 1, max_retrys: 2 }", "`retry.max_retrys` is not a known key"],
  ])("with %s is an error with its place", (written, message) => {
    const [finding, ...others] = parse(written).diagnostics;
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: "error", line: 4 });
    expect(finding?.message).toContain(message);
  });
});
