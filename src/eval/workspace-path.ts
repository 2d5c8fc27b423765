import { isAbsolute, relative, resolve } from "node:path";

/** Reports whether a path of a case's `files` is that of a file in the workspace. */
export function isWorkspacePath(file: string): boolean {
  const path = relative("/w", resolve("/w", file));
  return path !== "" && !path.startsWith("..") && !isAbsolute(file);
}
