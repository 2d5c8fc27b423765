import { dirname, isAbsolute, relative } from "node:path";
import { isInside } from "../../source/file/real-path.ts";
import { isBuiltinTool } from "../../run/tool-names.ts";
import { coversCall, ruleFor } from "./permission.ts";
import type { PermissionCall } from "./permission-call.ts";

/**
 * Proposes a narrow rule that allows `call` and similar ones: a command with other arguments, the files of the same folder, the
 * same web site. If no such rule covers the call, returns the rule for exactly this call.
 */
export function proposeRule(call: PermissionCall): string {
  const pattern = isBuiltinTool(call.tool) ? widerPattern(call) : undefined;
  const wider = pattern === undefined ? undefined : `${call.tool}(${pattern})`;
  return wider !== undefined && coversCall(wider, call) ? wider : ruleFor(call);
}

function widerPattern(call: PermissionCall): string | undefined {
  const { access, subject, paths, workspace } = call;
  if (access === "execute") return commandPattern(subject);
  if (access === "network")
    return URL.canParse(subject) ? `domain:${new URL(subject).hostname}` : undefined;
  const [path, ...others] = paths ?? [];
  if (path === undefined || others.length > 0 || !isInside(path, workspace)) return undefined;
  const folder = relative(workspace, dirname(path));
  // A rule for all files of the project would be too wide.
  return folder === "" || isAbsolute(folder) ? undefined : `${folder}/**`;
}

/** A program with its sub-command, such as `git log*`. A program alone could do anything. */
function commandPattern(command: string): string | undefined {
  const [, words] = /^([\w.-]+ [a-z][\w:-]*)(?: |$)/.exec(command) ?? [];
  return words === undefined ? undefined : `${words}*`;
}
