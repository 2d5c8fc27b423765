import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CadreError } from "../../errors.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import { findProjectRoot } from "../../source/file/project-root.ts";
import { isInside, resolveReal } from "../../source/file/real-path.ts";
import { walkFolder } from "../../source/file/walk-folder.ts";
import { findByName } from "./find-sub-recipe.ts";
import { loadRecipe, type LoadedRecipe } from "./load-recipe.ts";
import type { Recipe } from "../recipe.ts";
import {
  isRecipeFile,
  type RecipeFolder,
  recipeFolders,
  type RecipeSearch,
} from "../recipe-folder.ts";
import { withoutRepeats } from "../../source/diagnostic.ts";

/** A recipe in a recipe folder. */
export interface FoundRecipe {
  recipe: Recipe;
  /** The file as found: absolute, with unresolved symbolic links. */
  way: string;
  scope: RecipeFolder["scope"];
}

/** All recipes of a project and its user. */
export interface RecipeDiscovery {
  /** All recipes in order of precedence, including those with errors. A name refers to the first recipe with that name. */
  recipes: FoundRecipe[];
  /** All findings, including those about files that are not recipes. */
  diagnostics: Diagnostic[];
}

/** Finds all recipes in the recipe folders of the project and the user. */
export async function discoverRecipes(search: RecipeSearch): Promise<RecipeDiscovery> {
  const found: RecipeDiscovery = { recipes: [], diagnostics: [] };
  const folders = recipeFolders(search);
  const paths = folders.map(({ path }) => path);
  for (const { path: folder, root, scope } of folders) {
    const walk = { folder, root, isDeep: false, isWanted: isRecipeFile };
    const { files, diagnostics } = await walkFolder(walk);
    found.diagnostics.push(...diagnostics);
    for (const file of files) {
      const loaded = await loadRecipe(file, { root, folders: paths });
      found.diagnostics.push(...loaded.diagnostics);
      if (loaded.recipe !== null) found.recipes.push({ recipe: loaded.recipe, way: file, scope });
    }
  }
  return { ...found, diagnostics: withoutRepeats(found.diagnostics) };
}

/**
 * Finds a recipe's file by its path, or by its name in a recipe folder.
 *
 * @throws CadreError `invalid-argument` when there is none.
 */
export async function findRecipe(reference: string, search: RecipeSearch): Promise<string> {
  const path = resolve(search.cwd, reference);
  const status = await stat(path).catch(() => null);
  if (status?.isFile() === true) return path;
  const folders = recipeFolders(search).map((folder) => folder.path);
  const root = findProjectRoot(search);
  const found = await findByName(reference, { path, root, folders });
  if (found !== null) return found.path;
  const { recipes } = await discoverRecipes(search);
  const names = [...new Set(recipes.map(({ recipe }) => recipe.name))];
  const known = names.length === 0 ? "There are none." : `There are ${names.join(", ")}.`;
  throw new CadreError(
    "invalid-argument",
    `Expected the file of a recipe, or the name of a recipe in a recipe folder (.cadre/recipes, .goose/recipes), got ${JSON.stringify(reference)}.${didYouMean(reference, names)} ${known}`,
  );
}

/** Loads a recipe by its path or name, which {@link findRecipe} resolves. */
export async function openRecipe(reference: string, search: RecipeSearch): Promise<LoadedRecipe> {
  const path = await findRecipe(reference, search);
  const real = (await resolveReal(path)) ?? path;
  const folders = recipeFolders(search);
  const project = findProjectRoot(search);
  // A recipe in a recipe folder may refer to everything in that folder.
  const root = [project, ...folders.map((folder) => folder.root)].find((one) =>
    isInside(real, one),
  );
  return await loadRecipe(path, {
    root: root ?? project,
    folders: folders.map((folder) => folder.path),
  });
}

/** Checks recipes, given as files, names, or folders with all their files. A missing recipe is an error. */
export async function checkRecipes(
  references: readonly string[],
  search: RecipeSearch,
): Promise<Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  for (const reference of references) {
    const path = resolve(search.cwd, reference);
    const status = await stat(path).catch(() => null);
    if (status?.isDirectory() === true) {
      diagnostics.push(...(await checkFolder(path, search)));
    } else {
      const { diagnostics: found } = await openRecipe(reference, search);
      diagnostics.push(...found);
    }
  }
  return withoutRepeats(diagnostics);
}

async function checkFolder(folder: string, search: RecipeSearch): Promise<Diagnostic[]> {
  const walk = { folder, root: folder, isDeep: true, isWanted: isRecipeFile };
  const { files, diagnostics } = await walkFolder(walk);
  for (const file of files) diagnostics.push(...(await openRecipe(file, search)).diagnostics);
  if (files.length > 0) return diagnostics;
  const message = "Expected recipes in this folder, but no file ends in .yaml, .yml or .json.";
  const finding = {
    path: folder,
    line: 1,
    column: 1,
    severity: "error",
    code: "no-recipes",
  } as const;
  return [...diagnostics, { ...finding, message, fix: "Check the path." }];
}
