import { realpathSync } from "node:fs";
import { findBase } from "./find-base.ts";
import { createWalks, selectFiles } from "./select-files.ts";

/** The files that globs match, and what has to be said about the globs, a sentence each. */
export interface ListedFiles {
  /** Relative to the folder, with `/`: in the order of the globs, those of one glob in the order of their characters. */
  paths: string[];
  problems: string[];
}

/**
 * Lists the files below `cwd` that globs match, by the rules of prompt files: `!` takes away, what git ignores and hidden
 * files are left out unless a glob names them, symlinks are not followed, and nothing outside is found. Globs are meant from
 * `base`, a folder of `cwd`; absent = `cwd` itself.
 */
export async function listFiles(
  globs: readonly string[],
  { cwd, base: written, signal }: { cwd: string; base?: string; signal: AbortSignal },
): Promise<ListedFiles> {
  const workspace = realpathSync(cwd);
  const base = findBase({ ...(written !== undefined && { base_dir: written }) }, workspace);
  if (typeof base !== "string") return { paths: [], problems: [base.message] };
  const place = { workspace, base, walk: createWalks(signal) };
  const { paths, problems } = await selectFiles(globs, place);
  return { paths, problems: problems.map(({ message }) => message) };
}
