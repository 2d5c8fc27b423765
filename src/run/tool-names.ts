/** The names of Cadre's tools in definitions and permission rules. */
export const toolNames = [
  "Read",
  "Edit",
  "Write",
  "Bash",
  "Grep",
  "Glob",
  "LS",
  "DirectoryTree",
  "Think",
  "TodoWrite",
  "AskUser",
  "Skill",
  "WebFetch",
  "WebSearch",
  "Agent",
  "Subagent",
  "sessions_spawn",
  "sessions_wait",
  "sessions_list",
  "sessions_send",
  "sessions_cancel",
  "context_get",
  "changes_read",
  "changes_merge",
  "changes_discard",
  "team_send",
  "team_wait",
  "board_add",
  "board_list",
  "board_claim",
  "board_update",
] as const;

/** One of {@link toolNames}. */
export type ToolName = (typeof toolNames)[number];

/** The tools of team members. */
export const teamToolNames: readonly ToolName[] = toolNames.filter(
  (name) => name.startsWith("team_") || name.startsWith("board_"),
);

const builtin: ReadonlySet<string> = new Set(toolNames);

/** Reports whether `name` is one of {@link toolNames}, and not a tool of an MCP server or a program. */
export function isBuiltinTool(name: string): boolean {
  return builtin.has(name);
}

/** Reports whether a pattern matches a tool: by its whole name, or by the text before a `*` at its end. */
export function coversTool(pattern: string, tool: string): boolean {
  return pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : pattern === tool;
}
