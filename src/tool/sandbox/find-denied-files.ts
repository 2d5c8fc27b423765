import { type Dirent, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { cacheRecent } from "../../lru-pool.ts";
import type { PermissionPolicy } from "../../run/permission.ts";
import { isRuleProblem, parseRule } from "../../run/permission-rule.ts";
import { CadreError } from "../../errors.ts";
import {
  createFolderWalk,
  rememberedWalks,
  type FolderReading,
  type FolderWalk,
} from "../control-file/walk-folders.ts";
import { displayPath } from "../path/path-confinement.ts";
import { decide } from "../permission/permission.ts";
import { createPathMatcher, matchesTool } from "../permission/rule-match.ts";

/** A file or folder that deny rules hide from commands, or protect from changes by them. */
export interface DeniedFile {
  /** Absolute, real. */
  path: string;
  isFolder: boolean;
  /** The denied access: reading, which includes changing, or changing only. */
  denied: "read" | "edit";
}

/** Where to search for denied files. */
export interface DeniedFileSearch {
  policies: readonly PermissionPolicy[];
  workspace: string;
  /** The folder that commands see: the workspace, or the repository that contains it. */
  root: string;
}

/** Folders of git and package managers, which are not searched. */
const passedOver: ReadonlySet<string> = new Set([".git", "node_modules"]);
/** Each denied file is a mount of the sandbox, and mounts cost time. */
const maxDenied = 200;

/**
 * Finds the files that deny rules for `Read`, `Edit` and `Write` match.
 *
 * @throws CadreError `tool-failed` when there are more than the sandbox can hide.
 */
export async function findDeniedFiles(search: DeniedFileSearch): Promise<DeniedFile[]> {
  const { root, workspace } = search;
  const patterns = { Read: patternsOf(search, "Read"), Edit: patternsOf(search, "Edit") };
  if (patterns.Read.length === 0 && patterns.Edit.length === 0) return [];
  const candidates: DeniedFile[] = [];
  const walk = walkOf(JSON.stringify({ root, workspace, patterns }));
  await walk.walk({ path: root, state: null }, (_, files) => void candidates.push(...files));
  const denied = candidates
    .filter((file) => isDenied(file, search))
    .flatMap((file) => toReal(file));
  if (denied.length <= maxDenied) return denied;
  const [one] = denied;
  throw new CadreError(
    "tool-failed",
    `The deny rules match ${denied.length} files, such as ${displayPath(one?.path ?? "", workspace)}; the sandbox hides at most ${maxDenied}. Deny their folder as a whole, such as Read(secrets).`,
  );
}

type Patterns = Record<"Read" | "Edit", readonly string[]>;

const walkOf = cacheRecent(rememberedWalks, (key): FolderWalk<null, DeniedFile[]> => {
  const { workspace, patterns } = JSON.parse(key) as { workspace: string; patterns: Patterns };
  const matchersOf = (tool: keyof Patterns): ((path: string) => boolean) => {
    const matchers = patterns[tool].map((one) => createPathMatcher(one, workspace, "wide"));
    return (path) => matchers.some((matches) => matches(path));
  };
  const [isUnreadable, isFixed] = [matchersOf("Read"), matchersOf("Edit")];
  return createFolderWalk(({ path: folder }, entries): FolderReading<null, DeniedFile[]> => {
    const reading: FolderReading<null, DeniedFile[]> = { folders: [], value: [] };
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (isUnreadable(path)) reading.value.push({ path, isFolder, denied: "read" });
      else if (isFixed(path)) reading.value.push({ path, isFolder, denied: "edit" });
      if (isWalked(entry)) reading.folders.push({ path, state: null });
    }
    return reading;
  });
});

function isWalked(entry: Dirent): boolean {
  return entry.isDirectory() && !passedOver.has(entry.name);
}

function patternsOf({ policies }: DeniedFileSearch, tool: keyof Patterns): string[] {
  const rules = policies.flatMap(({ rules: { deny, ordered = [] } }) => [
    ...deny,
    ...ordered.filter(({ decision }) => decision === "deny").map(({ rule }) => rule),
  ]);
  return rules.flatMap((rule) => {
    const parsed = parseRule(rule);
    if (isRuleProblem(parsed) || parsed.pattern === null) return [];
    return matchesTool(parsed.tool, tool, "wide") ? [parsed.pattern] : [];
  });
}

function isDenied(
  { path, denied }: DeniedFile,
  { policies, workspace }: DeniedFileSearch,
): boolean {
  const tool = denied === "read" ? "Read" : "Edit";
  const subject = displayPath(path, workspace);
  const call = { tool, access: denied, subject, paths: [path], workspace };
  return decide(policies, call).decision === "deny";
}

/** Resolves a symlink: denying its name denies its target. */
function toReal(file: DeniedFile): DeniedFile[] {
  try {
    const path = realpathSync(file.path);
    return [{ ...file, path, isFolder: statSync(path).isDirectory() }];
  } catch {
    // A dangling symlink: there is nothing to hide.
    return [];
  }
}
