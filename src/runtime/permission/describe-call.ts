import { homedir } from "node:os";
import { CadreError } from "../../errors.ts";
import { isBuiltinTool } from "../../run/tool-names.ts";
import type { JsonObject } from "../../source/json.ts";
import { realPathOf } from "../../source/file/real-path.ts";
import type { PermissionCall } from "../../tool/permission/permission-call.ts";

/** The arguments with which a built-in tool is applied to a subject. Tools without an entry touch nothing. */
const argumentsFor: Readonly<Record<string, (subject: string) => JsonObject>> = {
  Bash: (command) => ({ command }),
  Read: (path) => ({ file_path: path }),
  Write: (path) => ({ file_path: path, content: "" }),
  Edit: (path) => ({ file_path: path, old_string: "old", new_string: "new" }),
  Glob: (path) => ({ pattern: "**", path: path || "." }),
  Grep: (path) => ({ pattern: "text", path: path || "." }),
  LS: (path) => ({ path: path || "." }),
  DirectoryTree: (path) => ({ path: path || "." }),
  WebFetch: (url) => ({ url }),
  WebSearch: (query) => ({ query }),
};

/** Tools that change files and are not built in; see `createChangeTools`. */
const editing: ReadonlySet<string> = new Set(["changes_merge", "changes_discard"]);

/**
 * Describes a call for a decision, as its tool does.
 *
 * @throws CadreError `invalid-argument` when the tool cannot be applied to `subject`.
 */
export async function describeCall({
  tool: name,
  subject,
  workspace: given,
}: {
  tool: string;
  subject: string;
  workspace: string;
}): Promise<PermissionCall> {
  const workspace = realPathOf(given);
  if (!isBuiltinTool(name)) {
    return { tool: name, access: "execute", subject, paths: null, workspace };
  }
  const toArguments = argumentsFor[name];
  const { createBuiltinTools } = await import("../../tool/builtin/builtin-tools.ts");
  const tools = await createBuiltinTools({ workspace, home: homedir() });
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined || toArguments === undefined) {
    const access = editing.has(name) ? "edit" : "none";
    return { tool: name, access, subject, paths: [], workspace };
  }
  const call = tool.prepare(toArguments(subject), { workspace });
  if ("problem" in call) {
    const message = `${name} cannot be used on ${JSON.stringify(subject)}: ${call.problem}`;
    throw new CadreError("invalid-argument", message);
  }
  const { access, isShell } = tool;
  const { subject: shown, paths, raisesRights } = call;
  return { tool: name, access, isShell, subject: shown, paths, raisesRights, workspace };
}
