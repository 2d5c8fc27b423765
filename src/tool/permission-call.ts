import type { ToolAccess } from "./tool.ts";

/** What is decided about. */
export interface PermissionCall {
  tool: string;
  access: ToolAccess;
  /** As in `ToolCallDescription`. */
  subject: string;
  /** Absolute, resolved; `null` = cannot be known. */
  paths: readonly string[] | null;
  /** Absolute, resolved; path patterns are relative to it. */
  workspace: string;
}
