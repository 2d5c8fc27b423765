import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";

/** The path behind all symlinks, or `null` when nothing is there. */
export async function resolveReal(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}

/** Whether `path` is `root` or lies below it; both absolute and real. */
export function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && way !== path);
}
