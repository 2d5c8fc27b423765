import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Says that `name` is missing, a package that only some users need, and how to install it where Cadre finds it. `subject` begins the
 * sentence, such as `Workers need`.
 */
export function describeMissingPackage(subject: string, name: string, version: number): string {
  const command = installCommand(name, fileURLToPath(import.meta.url));
  return `${subject} the package ${name}, version ${version}, which is not installed beside Cadre. Install it with \`${command}\``;
}

/** Returns the command that installs `name` beside Cadre, one of whose files is `file`. A global installation has no `package.json`. */
export function installCommand(name: string, file: string): string {
  const [, project] = /^(.*)[\\/]node_modules[\\/]cadre[\\/]/.exec(file) ?? [];
  const isGlobal = project !== undefined && !existsSync(join(project, "package.json"));
  return isGlobal ? `npm install -g ${name}` : `npm install ${name}`;
}
