import { join } from "node:path";
import { userStateFolder } from "../../config/state-folder.ts";

/**
 * Where Cadre keeps what it needs for commands: what is to be undone after one, the filter of the sandbox. It does not
 * depend on any configuration, which a command may have written.
 *
 * @throws CadreError `config-invalid` when the home folder is not absolute.
 */
export function commandFolder(user: Parameters<typeof userStateFolder>[0]): string {
  return join(userStateFolder(user), "commands");
}
