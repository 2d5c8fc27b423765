import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { nearest } from "../../source/nearest.ts";
import { isInside, resolveReal } from "../../source/file/real-path.ts";
import type { Finding } from "../../source/diagnostic.ts";
import { isRecipeFile, recipeEndings } from "../recipe-folder.ts";
import { isTemplate } from "../template/scan-template.ts";

/** Where to search for a sub-recipe. */
export interface SubRecipeFolders {
  /** The referring recipe, absolute and real. */
  path: string;
  /** The folder that must contain it, absolute and real. */
  root: string;
  /** The folders to search for recipes by name. */
  folders: readonly string[];
}

/** The file of a sub-recipe, or the problem with it. `null` = the path depends on values. */
export type FoundSubRecipe = FoundFile | { problem: Finding } | null;

/** The file of a recipe. All paths are absolute. */
export interface FoundFile {
  /** The real path. */
  path: string;
  /** The path before its symbolic links were resolved. */
  way: string;
  /** The folder that must contain it. */
  root: string;
}

/** Finds the file of a sub-recipe by a path relative to its recipe, or by the name of a recipe in a recipe folder. */
export async function findSubRecipe(
  written: string,
  folders: SubRecipeFolders,
): Promise<FoundSubRecipe> {
  const folder = dirname(folders.path);
  const plain = written
    .replace(/\{\{-?\s*recipe_dir\s*-?\}\}/g, folder)
    .replace(/^~(?=\/)/, homedir());
  if (isTemplate(plain)) return null;
  const path = resolve(folder, plain);
  const real = await resolveReal(path);
  if (real !== null) {
    return isInside(real, folders.root)
      ? { path: real, way: path, root: folders.root }
      : { problem: outside(written, real, folders.root) };
  }
  const named = await findByName(plain, folders);
  return named ?? { problem: await missing(written, path, folder) };
}

/** Finds a recipe by the name of its file, with or without its extension. */
export async function findByName(
  name: string,
  { root, folders }: SubRecipeFolders,
): Promise<FoundFile | null> {
  if (/[/\\]/.test(name)) return null;
  const names = isRecipeFile(name) ? [name] : recipeEndings.map((ending) => `${name}${ending}`);
  for (const folder of folders) {
    const base = await resolveReal(folder);
    for (const file of base === null ? [] : names) {
      const path = join(folder, file);
      const real = await resolveReal(path);
      if (real === null || base === null) continue;
      if (isInside(real, root)) return { path: real, way: path, root };
      if (isInside(real, base)) return { path: real, way: path, root: base };
    }
  }
  return null;
}

function outside(written: string, real: string, root: string): Finding {
  const message = `The sub-recipe \`${written}\` is ${real}, outside of ${root}, which must contain the recipe's files.`;
  const fix = "Move the file into the project, and write its path from the recipe's folder.";
  return { severity: "error", code: "sub-recipe-outside", message, fix };
}

async function missing(written: string, path: string, folder: string): Promise<Finding> {
  const message = `Expected the sub-recipe \`${written}\` at ${path}, but nothing is there.`;
  const near = await findNear(path, folder);
  const fix =
    near === null ? "Check the path, which is relative to this file." : `Write \`path: ${near}\``;
  return { severity: "error", code: "sub-recipe-missing", message, fix };
}

/** Finds the recipe that was most likely meant: one with the same file name elsewhere, or one with a similar name. */
async function findNear(path: string, folder: string): Promise<string | null> {
  const candidates = [...(await recipesIn(folder)), ...(await recipesIn(dirname(folder)))];
  const same = candidates.find((one) => basename(one) === basename(path) && one !== path);
  const names = candidates.map((one) => basename(one));
  const near = same ?? candidates[names.indexOf(nearest(basename(path), names) ?? "")];
  if (near === undefined) return null;
  const relativePath = relative(folder, near);
  return relativePath.startsWith(".") ? relativePath : `./${relativePath}`;
}

/** Lists the possible recipe files in a folder and its direct subfolders. */
async function recipesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const inner = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .slice(0, 50)
      .map(async ({ name }) => {
        const below = await readdir(join(folder, name)).catch(() => []);
        return below.filter(isRecipeFile).map((file) => join(folder, name, file));
      }),
  );
  const here = entries.filter((entry) => entry.isFile() && isRecipeFile(entry.name));
  return [...here.map(({ name }) => join(folder, name)), ...inner.flat()];
}
