import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { isTooComplex } from "./glob-pattern.ts";
import { readWhole, statusOf } from "../path/regular-file.ts";
import { hiddenPaths } from "../path/secret-path.ts";

/** The `.gitignore` files that apply in a folder, nearest first. */
export type IgnoreRules = readonly { folder: string; rules: Ignore }[];

/** Folders that are never searched, because they do not contain the user's own files. */
const skippedNames: ReadonlySet<string> = new Set([".git", "node_modules"]);
const ignoreFileBytes = 1024 * 1024;

/** Returns the rules that apply in `folder` (absolute): its own and those of its parents up to the repository's root. */
export async function rulesAround(folder: string): Promise<IgnoreRules> {
  const folders = [folder];
  for (let at = folder; !existsSync(join(at, ".git")) && dirname(at) !== at; at = dirname(at))
    folders.push(dirname(at));
  // Outside a repository only the folder itself counts: a file in / must not affect everything.
  const last = folders.at(-1) ?? folder;
  const inForce = existsSync(join(last, ".git")) ? folders : [folder];
  let rules: IgnoreRules = [];
  for (const place of inForce.reverse()) rules = await rulesWithin(place, rules);
  return rules;
}

/** Returns `outer` and the rules of the `.gitignore` in `folder`, if there is one. */
export async function rulesWithin(folder: string, outer: IgnoreRules): Promise<IgnoreRules> {
  const path = join(folder, ".gitignore");
  const stats = await statusOf(path);
  if (stats === undefined || !stats.isFile() || stats.size > ignoreFileBytes) return outer;
  const { content } = await readWhole(path);
  const lines = content
    .toString("utf8")
    .split(/\r?\n/)
    .filter((line) => !isTooComplex(line));
  return [{ folder, rules: ignore().add(lines) }, ...outer];
}

/** Reports whether a search leaves `path` (absolute) out. */
export function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules): boolean {
  const name = path.slice(path.lastIndexOf(sep) + 1);
  if (skippedNames.has(name) || hiddenPaths().has(path)) return true;
  for (const { folder, rules: own } of rules) {
    const inner = relative(folder, path).split(sep).join("/");
    const decided = own.test(isFolder ? `${inner}/` : inner);
    if (decided.ignored) return true;
    if (decided.unignored) return false;
  }
  return false;
}
