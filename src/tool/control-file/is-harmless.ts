import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../path-confinement.ts";
import type { ControlPath } from "./control-path.ts";
import { todoPattern } from "./git-folder.ts";
import { isHarmlessGitConfig } from "./harmless-git-config.ts";

/** Where a control file is judged. */
export interface HarmlessPlace {
  workspace: string;
  /** Folders in it that are not looked at, because they are hidden from commands or handed over to them. */
  handedOver: readonly string[];
}

const mostBytes = 1024 * 1024;

/**
 * Whether a control file in a repository executes nothing as it is: the configuration and the sample hooks that `git init`
 * writes, the steps of a rebase, the entry of a worktree that lies elsewhere. Files outside of repositories never are.
 */
export function isHarmless({ path, kind, git }: ControlPath, place: HarmlessPlace): boolean {
  if (git === undefined) return false;
  try {
    if (kind === "file") return isHarmlessFile(path, git.name);
    if (kind !== "folder") return false;
    if (git.name === "worktree") return isHarmlessWorktree(path, place);
    const names = readdirSync(path);
    const isSample = (name: string): boolean =>
      name.endsWith(".sample") && lstatSync(join(path, name)).isFile();
    return git.name === "hooks" ? names.every((name) => isSample(name)) : names.length === 0;
  } catch {
    // What cannot be looked at is not known to be harmless.
    return false;
  }
}

/** Whether ordinary work with git goes on writing to a control file, such as the steps of a rebase. */
export function isWrittenByGit({ git }: ControlPath): boolean {
  return git !== undefined && todoPattern.test(git.name);
}

function isHarmlessFile(path: string, name: string): boolean {
  if (name !== "config" && !todoPattern.test(name)) return false;
  const text = readOwnFile(path);
  if (text === undefined) return false;
  return name === "config" ? isHarmlessGitConfig(text) : !/^\s*(?:x|exec)\b/m.test(text);
}

/** A second name of the file would be a way to change it later. */
function readOwnFile(path: string): string | undefined {
  const stats = lstatSync(path);
  if (!stats.isFile() || stats.nlink > 1 || stats.size > mostBytes) return undefined;
  return readFileSync(path, "utf8");
}

/**
 * The entry of a worktree says where its working files are, and they say where the entry is. Commands in the sandbox cannot
 * write there, so somebody else made it: `git worktree add`, or Cadre for a run.
 */
function isHarmlessWorktree(path: string, { workspace, handedOver }: HarmlessPlace): boolean {
  const names = readdirSync(path);
  if (names.some((name) => /^(?:config|hooks|info)/i.test(name))) return false;
  if (readOwnFile(join(path, "commondir"))?.trim() !== "../..") return false;
  const link = readOwnFile(join(path, "gitdir"))?.trim() ?? "";
  const isElsewhere =
    !isInside(link, workspace) || handedOver.some((folder) => isInside(link, folder));
  if (link === "" || !isElsewhere) return false;
  return readOwnFile(link)?.trim() === `gitdir: ${path}`;
}
