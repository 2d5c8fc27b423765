import { expect, test } from "vitest";
import { parseAcai } from "./acai.ts";

test("the example in acai's own documentation is read", () => {
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

test("an unknown field is a warning, and a limit of another format holds", () => {
  const text = "---\nname: a\ndescription: x\nmood: calm\nmax_turns: 3\n---\nbody";
  const definition = parseAcai({ path: "/p/a.md", text, scope: "project" });
  expect(definition).toMatchObject({
    maxTurns: 3,
    diagnostics: [{ severity: "warning", code: "unknown-key", line: 4 }],
  });
});
