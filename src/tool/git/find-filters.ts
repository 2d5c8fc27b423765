import type { Git, GitFolders } from "./run-git.ts";

/** A git filter, such as `lfs`, and the files that attributes assign to it. */
export interface UnappliedFilter {
  name: string;
  /** Relative to the worktree. */
  files: readonly string[];
}

/** Finds the filters that attributes assign to `files`, which are relative to the worktree. Cadre's git executes no filters. */
export async function findFilters(
  git: Git,
  folders: GitFolders,
  files: readonly string[],
): Promise<UnappliedFilter[]> {
  const input = files.map((file) => `${file}\0`).join("");
  const words = await git(["check-attr", "-z", "--stdin", "filter"], { ...folders, input });
  const filters = new Map<string, string[]>();
  for (const [, path = "", name = ""] of words.matchAll(/([^\0]+)\0filter\0([^\0]*)\0/g)) {
    if (["unspecified", "unset", "set", ""].includes(name)) continue;
    const found = filters.get(name);
    if (found === undefined) filters.set(name, [path]);
    else found.push(path);
  }
  return [...filters].map(([name, found]) => ({ name, files: found }));
}
