import { join } from "node:path";
import { userStateFolder } from "../../config/state-folder.ts";

/**
 * Returns the folder where Cadre keeps its data about commands: baselines and the sandbox's system call filter. It does not
 * depend on configuration, because a command may have written the configuration.
 *
 * @throws CadreError `config-invalid` when the home folder is not absolute.
 */
export function commandFolder(user: Parameters<typeof userStateFolder>[0]): string {
  return join(userStateFolder(user), "commands");
}
