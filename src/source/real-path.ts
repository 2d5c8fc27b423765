import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** The path behind all symlinks, or `null` when nothing is there. */
export async function resolveReal(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}

/** The path behind all symlinks; of an absolute path that does not exist, its nearest existing parent's with the rest added. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), path.slice(parent.length));
  }
}

/** Whether `path` is `root` or lies below it; both absolute and real. */
export function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && way !== path);
}
