import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** Resolves all symlinks of a path; `null` when it does not exist. */
export async function resolveReal(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}

/**
 * Resolves all symlinks of an absolute path. For a missing path, resolves the nearest existing parent and appends the
 * rest.
 */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), path.slice(parent.length));
  }
}

/** Reports whether `path` is `root` or below it. Both must be absolute and real. */
export function isInside(path: string, root: string): boolean {
  const relativePath = relative(root, path);
  return (
    relativePath === "" ||
    (relativePath !== ".." && !relativePath.startsWith(`..${sep}`) && relativePath !== path)
  );
}
