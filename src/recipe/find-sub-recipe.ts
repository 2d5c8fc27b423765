import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { nearest } from "../source/nearest.ts";
import { isInside, resolveReal } from "../source/real-path.ts";
import type { Finding } from "./report.ts";
import { isRecipeFile, recipeEndings } from "./recipe-folder.ts";
import { isTemplate } from "./scan-template.ts";

/** Where a sub-recipe is looked for. */
export interface SubRecipePlace {
  /** The recipe that names it, absolute and real. */
  path: string;
  /** The folder it may not leave, absolute and real. */
  root: string;
  /** The folders in which recipes are found by their names. */
  folders: readonly string[];
}

/** The file of a sub-recipe with the folder it may not leave, or what is wrong. `null`: it is known only once values are. */
export type FoundSubRecipe = FoundFile | { problem: Finding } | null;

/** A recipe's file. All paths are absolute. */
export interface FoundFile {
  /** Real. */
  path: string;
  /** The same before its symbolic links were followed. */
  way: string;
  /** The folder it may not leave. */
  root: string;
}

/** Finds the file of a sub-recipe: a path from the folder of its recipe, or the name of one in a folder of recipes. */
export async function findSubRecipe(
  written: string,
  place: SubRecipePlace,
): Promise<FoundSubRecipe> {
  const folder = dirname(place.path);
  const plain = written
    .replace(/\{\{-?\s*recipe_dir\s*-?\}\}/g, folder)
    .replace(/^~(?=\/)/, homedir());
  if (isTemplate(plain)) return null;
  const path = resolve(folder, plain);
  const real = await resolveReal(path);
  if (real !== null) {
    return isInside(real, place.root)
      ? { path: real, way: path, root: place.root }
      : { problem: outside(written, real, place.root) };
  }
  const named = await findByName(plain, place);
  return named ?? { problem: await missing(written, path, folder) };
}

/** Finds a recipe by the name of its file, with or without its ending. */
export async function findByName(
  name: string,
  { root, folders }: SubRecipePlace,
): Promise<FoundFile | null> {
  if (/[/\\]/.test(name)) return null;
  const names = isRecipeFile(name) ? [name] : recipeEndings.map((ending) => `${name}${ending}`);
  for (const folder of folders) {
    const base = await resolveReal(folder);
    for (const file of base === null ? [] : names) {
      const way = join(folder, file);
      const real = await resolveReal(way);
      if (real === null || base === null) continue;
      if (isInside(real, root)) return { path: real, way, root };
      if (isInside(real, base)) return { path: real, way, root: base };
    }
  }
  return null;
}

function outside(written: string, real: string, root: string): Finding {
  const message = `The sub-recipe \`${written}\` is ${real}, outside of ${root}, which the recipe may not leave.`;
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

/** A recipe that was most likely meant: of the same file name elsewhere, or of one that is near. */
async function findNear(path: string, folder: string): Promise<string | null> {
  const candidates = [...(await recipesIn(folder)), ...(await recipesIn(dirname(folder)))];
  const same = candidates.find((one) => basename(one) === basename(path) && one !== path);
  const names = candidates.map((one) => basename(one));
  const near = same ?? candidates[names.indexOf(nearest(basename(path), names) ?? "")];
  if (near === undefined) return null;
  const way = relative(folder, near);
  return way.startsWith(".") ? way : `./${way}`;
}

/** The files of a folder and of those in it that could be recipes. */
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
