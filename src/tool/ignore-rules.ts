import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { isTooComplex } from "./glob-pattern.ts";
import { readWhole, statusOf } from "./regular-file.ts";
import { hiddenPaths } from "./secret-path.ts";

/** The `.gitignore` files that are in force in a folder, nearest first. */
export type IgnoreRules = readonly { folder: string; rules: Ignore }[];

/** Never searched: what is in them is not the user's. */
const skippedNames: ReadonlySet<string> = new Set([".git", "node_modules"]);
const ignoreFileBytes = 1024 * 1024;

/** The rules in force in `folder` (absolute): its own and those of the folders around it up to the repository's root. */
export async function rulesAround(folder: string): Promise<IgnoreRules> {
  const folders = [folder];
  for (let at = folder; !existsSync(join(at, ".git")) && dirname(at) !== at; at = dirname(at))
    folders.push(dirname(at));
  // Outside a repository only the folder itself counts: a file in / must not rule over everything.
  const last = folders.at(-1) ?? folder;
  const inForce = existsSync(join(last, ".git")) ? folders : [folder];
  let rules: IgnoreRules = [];
  for (const place of inForce.reverse()) rules = await rulesWithin(place, rules);
  return rules;
}

/** `outer` and the rules of the `.gitignore` in `folder`, if there is one. */
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

/** Whether a search leaves `path` (absolute) out. */
export function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules): boolean {
  const name = path.slice(path.lastIndexOf(sep) + 1);
  if (skippedNames.has(name) || hiddenPaths().has(path)) return true;
  for (const { folder, rules: own } of rules) {
    const inner = relative(folder, path).split(sep).join("/");
    const verdict = own.test(isFolder ? `${inner}/` : inner);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}
