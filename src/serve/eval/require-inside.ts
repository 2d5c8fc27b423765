import { resolve, sep } from "node:path";
import { CadreError, realPathOf } from "../../host.ts";

/**
 * Returns the absolute path of a project file in `folder`.
 *
 * @throws CadreError `invalid-argument` for a file outside the project, including one behind a symbolic link.
 */
export function requireInside(folder: string, file: string): string {
  const path = realPathOf(resolve(folder, file));
  if (path.startsWith(`${realPathOf(folder)}${sep}`)) return path;
  const message = `Expected a file of the project in ${folder}; got ${file}, which is outside of it.`;
  throw new CadreError("invalid-argument", message);
}
