import { realpathSync } from "node:fs";
import { omitUndefined } from "../../omit-undefined.ts";

/** The files that globs match, and the problems of the globs, one sentence each. */
export interface ListedFiles {
  /** Relative to the folder, with `/`: in the order of the globs, the files of one glob sorted by path. */
  paths: string[];
  problems: string[];
}

/**
 * Lists the files below `cwd` that globs match, by the rules of prompt files: `!` excludes, ignored and hidden files match only
 * by name, symlinks are not followed, and paths outside are errors. Globs are relative to `base`, a folder of `cwd`; absent =
 * `cwd`.
 */
export async function listFiles(
  globs: readonly string[],
  { cwd, base: written, signal }: { cwd: string; base?: string; signal: AbortSignal },
): Promise<ListedFiles> {
  // A program loads this module at its start.
  const { findBase } = await import("./find-base.ts");
  const { createWalks, selectFiles } = await import("./select-files.ts");
  const workspace = realpathSync(cwd);
  const base = findBase(omitUndefined({ base_dir: written }), workspace);
  if (typeof base !== "string") return { paths: [], problems: [base.message] };
  const folders = { workspace, base, walk: createWalks(signal) };
  const { paths, problems } = await selectFiles(globs, folders);
  return { paths, problems: problems.map(({ message }) => message) };
}
