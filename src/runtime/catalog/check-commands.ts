import { commandFolders } from "../../prompt-command/command-folder.ts";
import { discoverPromptCommands } from "../../prompt-command/discover-prompt-commands.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { ProjectPlace } from "../../source/file/project-root.ts";

/** Checks the prompts of the project that are commands. Those of the user are skipped. */
export async function checkOwnCommands(place: ProjectPlace): Promise<Diagnostic[]> {
  const { diagnostics } = await discoverPromptCommands(place);
  const users = commandFolders(place).filter(({ scope }) => scope === "user");
  return diagnostics.filter(({ path }) => !users.some((folder) => isInside(path, folder.path)));
}

/** Checks a path in a folder of commands, absolute; `undefined` for any other path. */
export async function checkCommandPath(
  path: string,
  place: ProjectPlace,
): Promise<Diagnostic[] | undefined> {
  if (!commandFolders(place).some((folder) => isInside(path, folder.path))) return undefined;
  const { diagnostics } = await discoverPromptCommands(place);
  return diagnostics.filter((finding) => isInside(finding.path, path));
}
