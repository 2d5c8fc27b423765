import type { ToolAccess } from "../tool.ts";

/** A tool call to decide about. */
export interface PermissionCall {
  tool: string;
  access: ToolAccess;
  /** See `Tool.isShell`. */
  isShell?: boolean | undefined;
  /** See `ToolCallDescription.subject`. */
  subject: string;
  /** Absolute, resolved; `null` = unknown. */
  paths: readonly string[] | null;
  /**
   * Why every mode asks about the call unless an exact rule allows it: it could do more than its caller may. Absent when it could
   * not, except through its {@link PermissionCall.paths}.
   */
  raisesRights?: string | undefined;
  /** Absolute, resolved. Path patterns are relative to it. */
  workspace: string;
}
