import type { ToolAccess } from "./tool.ts";

/** What is decided about. */
export interface PermissionCall {
  tool: string;
  access: ToolAccess;
  /** As in `Tool.isShell`. */
  isShell?: boolean | undefined;
  /** As in `ToolCallDescription`. */
  subject: string;
  /** Absolute, resolved; `null` = cannot be known. */
  paths: readonly string[] | null;
  /**
   * Why the call is asked about in every mode, unless an exact rule allows it: it could do more than its caller may. Absent = it
   * could not, except for what {@link PermissionCall.paths} says.
   */
  raisesRights?: string | undefined;
  /** Absolute, resolved; path patterns are relative to it. */
  workspace: string;
}
