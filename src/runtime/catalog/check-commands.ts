import { commandFolders } from "../../prompt-command/command-folder.ts";
import { discoverPromptCommands } from "../../prompt-command/discover-prompt-commands.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { ProjectFolders } from "../../source/file/project-root.ts";

/** Checks the project's prompt commands. Skips the user's. */
export async function checkOwnCommands(project: ProjectFolders): Promise<Diagnostic[]> {
  const { diagnostics } = await discoverPromptCommands(project);
  const users = commandFolders(project).filter(({ scope }) => scope === "user");
  return diagnostics.filter(({ path }) => !users.some((folder) => isInside(path, folder.path)));
}

/** Checks an absolute path in a folder of commands; `undefined` for any other path. */
export async function checkCommandPath(
  path: string,
  project: ProjectFolders,
): Promise<Diagnostic[] | undefined> {
  if (!commandFolders(project).some((folder) => isInside(path, folder.path))) return undefined;
  const { diagnostics } = await discoverPromptCommands(project);
  return diagnostics.filter((finding) => isInside(finding.path, path));
}
