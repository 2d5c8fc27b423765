import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import { isIgnored, rulesAround, rulesWithin, type IgnoreRules } from "./ignore-rules.ts";
import { systemErrorCode } from "../path/path-confinement.ts";

/** The files that a walk found. */
export interface WalkedFiles {
  /** Relative to the folder, with `/`, sorted by code units. */
  paths: readonly string[];
  /** The symlinks, which are not followed, in the same form. */
  links: readonly string[];
  /** Whether there were more files than the limit. */
  isCut: boolean;
}

const maxFiles = 200_000;

/**
 * Lists the regular files below `folder` (absolute, resolved) that git does not ignore, without `.git` and `node_modules`. Does
 * not follow symlinks.
 */
export async function walkFiles(folder: string, signal: AbortSignal): Promise<WalkedFiles> {
  const paths: string[] = [];
  const links: string[] = [];
  const pending: { path: string; prefix: string; rules: IgnoreRules }[] = [
    { path: folder, prefix: "", rules: await rulesAround(folder) },
  ];
  for (
    let next = pending.pop();
    next !== undefined && paths.length <= maxFiles;
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
    paths: paths.sort().slice(0, maxFiles),
    links: links.sort(),
    isCut: paths.length > maxFiles,
  };
}

/**
 * Reads the entries of a folder, sorted by name. An unreadable folder inside a walk counts as empty.
 *
 * @throws CadreError `tool-failed` with `isRoot`, when it is not a folder or cannot be read.
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
      `Expected a folder; ${path} ${reasons[code] ?? `cannot be read (${code})`}.`,
      { cause: error },
    );
  }
}
