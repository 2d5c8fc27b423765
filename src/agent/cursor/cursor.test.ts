import { expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseCursor } from "./cursor.ts";

function parse(header: string): AgentDefinition {
  const text = `---\n${header}\n---\n\nYou verify. Nothing else.\n`;
  const file = { path: "/p/.cursor/agents/verifier.md", text, scope: "project" } as const;
  const definition = parseCursor(file);
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

test("every field is read: read-only sets the mode, is_background sets background", () => {
  const header =
    "name: checker\ndescription: Checks.\nmodel: claude-4.5-sonnet\nreadonly: true\nis_background: true";
  expect(parse(header)).toMatchObject({
    name: "checker",
    description: "Checks.",
    systemPrompt: "You verify. Nothing else.",
    model: "anthropic:claude-sonnet-4-5",
    permissionMode: "read-only",
    background: true,
    diagnostics: [],
  });
});

test("a missing name is the file's, and a missing description the first sentence", () => {
  const definition = parse("readonly: false");
  expect(definition).toMatchObject({
    name: "verifier",
    description: "You verify.",
    diagnostics: [{ severity: "warning", code: "description-missing" }],
  });
  expect(definition).not.toHaveProperty("permissionMode");
  expect(definition).not.toHaveProperty("tools");
});

test.each([
  ["inherit", undefined, undefined],
  ["gpt-5.2[effort=high]", "openai:gpt-5.2", "high"],
  ["composer-2-fast", "composer-2-fast", undefined],
  ["claude-4.6-sonnet-medium-thinking", "anthropic:claude-sonnet-4-6", "medium"],
  ["gpt-5.1-codex-max", "openai:gpt-5.1-codex-max", undefined],
  ["gpt-5.1-codex-high-fast", "openai:gpt-5.1-codex", "high"],
  ["gemini-2.5-flash", "google:gemini-2.5-flash", undefined],
  ["sonnet-4.5-thinking", "anthropic:claude-sonnet-4-5", undefined],
])("model %s is %s with effort %s", (written, model, effort) => {
  const definition = parse(`description: d\nmodel: ${written}`);
  expect(definition.model).toBe(model);
  expect(definition.effort).toBe(effort);
});

test("a model that Cursor chooses is the parent's, with a warning", () => {
  const definition = parse("description: d\nmodel: fast");
  expect(definition).not.toHaveProperty("model");
  expect(definition.diagnostics).toMatchObject([{ code: "model-invalid", line: 3 }]);
});

test("a list of tools, which Cursor itself ignores, limits the agent", () => {
  expect(parse("description: d\ntools: [Read, Grep]").tools).toEqual(["Read", "Grep"]);
});

test("prose is not a definition", () => {
  const file = { path: "/p/.cursor/agents/a.md", text: "# Notes", scope: "project" } as const;
  expect(parseCursor(file)).toBeNull();
});
