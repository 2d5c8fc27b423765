import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";

/** The path behind all symlinks, or `null` when nothing is there. */
export async function resolveReal(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}

/** The real path; of what does not exist, that of its nearest parent that does, with the rest as it is written. */
export async function resolveNearestReal(path: string): Promise<string> {
  const real = await resolveReal(path);
  const parent = dirname(path);
  if (real !== null || parent === path) return real ?? path;
  return join(await resolveNearestReal(parent), basename(path));
}

/** Whether `path` is `root` or lies below it; both absolute and real. */
export function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && way !== path);
}
