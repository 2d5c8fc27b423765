import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import { CadreError } from "../errors.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import type { ProcessEnvironment } from "../source/process-environment.ts";
import { processLaunch } from "./launch-config.ts";

/**
 * Checks that the command of a server is a program on the server's PATH, or a file. Relative paths start from `workspace`. Commands
 * are not checked on Windows, which has additional rules for finding programs.
 *
 * @throws CadreError `tool-unavailable`, also for a variable that is not set.
 */
export async function checkCommand(
  config: ExtensionConfig,
  environment: ProcessEnvironment,
  workspace: string,
): Promise<void> {
  if (config.type !== "stdio" || process.platform === "win32") return;
  const { command, environment: own } = processLaunch(config, environment);
  const isPath = command.includes("/");
  const search = own["PATH"];
  if (!isPath && search === undefined) return;
  const folders = isPath ? [config.cwd ?? workspace] : (search ?? "").split(delimiter);
  for (const folder of folders) if (await isExecutable(resolve(workspace, folder, command))) return;
  const what = isPath ? "is not a program" : "was not found on the PATH";
  const message = `The MCP server ${config.name} cannot be used: the command ${command} ${what}. Install it, or correct \`command\`.`;
  throw new CadreError("tool-unavailable", message, { details: { extension: config.name } });
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
