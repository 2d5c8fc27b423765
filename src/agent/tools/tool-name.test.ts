import { expect, test } from "vitest";
import { toolNames } from "../../run/tool-names.ts";
import { resolveToolName } from "./tool-name.ts";

test("Cadre's own names are known in any case", () => {
  for (const name of toolNames) {
    expect(resolveToolName(name), name).toEqual({ kind: "tools", tools: [name] });
  }
  expect(resolveToolName("BASH")).toEqual({ kind: "tools", tools: ["Bash"] });
  expect(resolveToolName("webfetch")).toEqual({ kind: "tools", tools: ["WebFetch"] });
});

test.each([
  ["Claude", "MultiEdit", ["Edit"]],
  ["Claude", "Task", ["Agent"]],
  ["OpenCode", "list", ["LS"]],
  ["OpenCode", "patch", ["Edit"]],
  ["Copilot", "search", ["Grep", "Glob"]],
  ["Copilot", "edit", ["Edit", "Write"]],
  ["Copilot", "execute", ["Bash"]],
  ["VS Code", "web/fetch", ["WebFetch"]],
  ["VS Code", "search/codebase", ["Grep"]],
  ["Gemini", "run_shell_command", ["Bash"]],
  ["Gemini", "search_file_content", ["Grep"]],
  ["Gemini", "replace", ["Edit"]],
  ["acai", "DirectoryTree", ["DirectoryTree"]],
  ["Claude Code", "TodoWrite", ["TodoWrite"]],
  ["Claude Code", "AskUserQuestion", ["AskUser"]],
  ["OpenCode", "todowrite", ["TodoWrite"]],
  ["OpenCode", "question", ["AskUser"]],
  ["Codex", "update_plan", ["TodoWrite"]],
  ["Copilot", "todo", ["TodoWrite"]],
  ["Gemini", "write_todos", ["TodoWrite"]],
  ["Gemini", "ask_user", ["AskUser"]],
])("%s: %s is understood", (_, name, tools) => {
  expect(resolveToolName(name)).toEqual({ kind: "tools", tools });
});

test("a known tool that Cadre does not offer is not unknown", () => {
  expect(resolveToolName("SlashCommand")).toEqual({ kind: "tools", tools: [] });
  expect(resolveToolName("notebook_edit")).toEqual({ kind: "tools", tools: [] });
  expect(resolveToolName("Frobnicate")).toEqual({ kind: "unknown" });
});

test("names and patterns of MCP servers are kept", () => {
  expect(resolveToolName("mcp__git__log")).toEqual({ kind: "mcp", pattern: "mcp__git__log" });
  expect(resolveToolName("mcp__git__*")).toEqual({ kind: "mcp", pattern: "mcp__git__*" });
  expect(resolveToolName("mcp__git")).toEqual({ kind: "mcp", pattern: "mcp__git__*" });
  expect(resolveToolName("mcp__*")).toEqual({ kind: "mcp", pattern: "mcp__*" });
  expect(resolveToolName("github/*")).toEqual({ kind: "mcp", pattern: "mcp__github__*" });
  expect(resolveToolName("github/get_issue")).toEqual({
    kind: "mcp",
    pattern: "mcp__github__get_issue",
  });
});

test("a star means every tool, and a prefix its members", () => {
  expect(resolveToolName("*")).toEqual({ kind: "all" });
  expect(resolveToolName("all")).toEqual({ kind: "all" });
  expect(resolveToolName("sessions_*")).toMatchObject({ tools: { length: 5 } });
});

test("names of JavaScript's own objects are unknown", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(resolveToolName(name), name).toEqual({ kind: "unknown" });
  }
});
