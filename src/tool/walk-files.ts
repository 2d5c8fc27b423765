import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CadreError } from "../errors.ts";
import { isIgnored, rulesAround, rulesWithin, type IgnoreRules } from "./ignore-rules.ts";
import { systemErrorCode } from "./path-confinement.ts";

/** The files a walk found. */
export interface Walk {
  /** Relative to the folder, with `/`, in the order of their characters. */
  paths: readonly string[];
  /** The symlinks that were not followed, in the same way. */
  links: readonly string[];
  /** Whether there were more than a walk takes. */
  isCut: boolean;
}

const mostFiles = 200_000;

/**
 * The regular files below `folder` (absolute, resolved) that git would not ignore, without `.git` and `node_modules`.
 * Symlinks are not followed.
 */
export async function walkFiles(folder: string, signal: AbortSignal): Promise<Walk> {
  const paths: string[] = [];
  const links: string[] = [];
  const pending: { path: string; prefix: string; rules: IgnoreRules }[] = [
    { path: folder, prefix: "", rules: await rulesAround(folder) },
  ];
  for (
    let next = pending.pop();
    next !== undefined && paths.length <= mostFiles;
    next = pending.pop()
  ) {
    signal.throwIfAborted();
    const { path, prefix, rules } = next;
    for (const entry of await readFolder(path)) {
      const inner = join(path, entry.name);
      const isFolder = entry.isDirectory();
      const isLink = entry.isSymbolicLink();
      if (!isFolder && !isLink && !entry.isFile()) continue;
      if (isIgnored(inner, isFolder, rules)) continue;
      const found = `${prefix}${entry.name}`;
      if (!isFolder) (isLink ? links : paths).push(found);
      else {
        const below = await rulesWithin(inner, rules);
        pending.push({ path: inner, prefix: `${found}/`, rules: below });
      }
    }
  }
  return {
    paths: paths.sort().slice(0, mostFiles),
    links: links.sort(),
    isCut: paths.length > mostFiles,
  };
}

/**
 * The entries of a folder, sorted by name. A folder that cannot be read inside a walk counts as empty.
 *
 * @throws CadreError `tool-failed` with `isRoot`, when it is no folder or cannot be read.
 */
export async function readFolder(path: string, isRoot = false): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    if (!isRoot) return [];
    const reasons: Record<string, string> = {
      ENOENT: "does not exist",
      ENOTDIR: "is not a folder; use Read for files",
    };
    const code = systemErrorCode(error) ?? String(error);
    throw new CadreError(
      "tool-failed",
      `A folder is expected: ${path} ${reasons[code] ?? `cannot be read (${code})`}.`,
      { cause: error },
    );
  }
}
