/** The tools Cadre offers, by the names that definitions and permission rules use. */
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
  "Skill",
  "WebFetch",
  "Agent",
  "Subagent",
  "sessions_spawn",
  "sessions_wait",
  "sessions_list",
  "sessions_send",
  "sessions_cancel",
  "context_get",
] as const;

/** One of {@link toolNames}. */
export type ToolName = (typeof toolNames)[number];
