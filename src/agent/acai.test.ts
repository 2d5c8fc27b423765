import { expect, test } from "vitest";
import { parseAcai } from "./acai.ts";

test("the example of acai's own plan is read", () => {
  const text = `---
name: code-reviewer
description: Reviews code for quality, security, and best practices
model: anthropic:sonnet        # optional, overrides parent model
tools: Read, Grep, Glob, Bash  # optional, comma-separated tool names
timeout: 600                   # optional, seconds (default: 300)
---

You are a code review specialist.

{{task}}
`;
  const path = "/p/.acai/subagents/code-reviewer.md";
  expect(parseAcai({ path, text, scope: "user" })).toMatchObject({
    name: "code-reviewer",
    model: "anthropic:sonnet",
    tools: ["Read", "Grep", "Glob", "Bash"],
    timeoutSeconds: 600,
    systemPrompt: "You are a code review specialist.\n\n{{task}}",
    source: { format: "acai", scope: "user" },
    diagnostics: [],
  });
});

test("a field of another format is a warning", () => {
  const text = "---\nname: a\ndescription: x\nmax_turns: 3\n---\nbody";
  const { diagnostics } = parseAcai({ path: "/p/a.md", text, scope: "project" });
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "unknown-key", line: 4 }]);
});
