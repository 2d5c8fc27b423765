// Finds recipes and their sub-recipes, and loads them from files.

import { basename, dirname, resolve } from "node:path";
import { type Diagnostic, hasError, type Finding, type Report } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { KeyPath } from "../../source/position.ts";
import { isInside, resolveReal } from "../../source/file/real-path.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { checkFilters } from "../read/check-filters.ts";
import { checkTemplateNames } from "../read/check-names.ts";
import { findSubRecipe } from "./find-sub-recipe.ts";
import { readDocument } from "../read/read-document.ts";
import { readFields } from "../read/read-fields.ts";
import type { Recipe, SubRecipe } from "../recipe.ts";
import { toRecipeName } from "../recipe-name.ts";
import { readIncludedFiles } from "../template/template-files.ts";

/** The deepest nesting of sub-recipes. */
const maxDepth = 64;

/** The options of {@link loadRecipe}. */
export interface LoadRecipeOptions {
  /**
   * The project's root, which must contain the sub-recipes. Sub-recipes of a recipe outside of it must be in that recipe's
   * folder.
   */
  root: string;
  /** The folders to search for sub-recipes by name, such as those of `recipeFolders`. Default: none. */
  folders?: readonly string[];
}

/** A recipe, possibly with errors; `null` when its file is unreadable. */
export interface LoadedRecipe {
  recipe: Recipe | null;
  /** The findings in the recipe and its sub-recipes. */
  diagnostics: Diagnostic[];
}

interface Loading {
  options: LoadRecipeOptions;
  /** The files from the first recipe down to the current one. */
  chain: readonly string[];
  root: string;
  loaded: Map<string, LoadedRecipe>;
}

/**
 * Loads a recipe in goose's format, YAML or JSON, with everything that it refers to. Fills and runs nothing. Invalid files never
 * throw; problems are diagnostics with positions.
 */
export async function loadRecipe(path: string, options: LoadRecipeOptions): Promise<LoadedRecipe> {
  const real = (await resolveReal(path)) ?? resolve(path);
  const project = (await resolveReal(options.root)) ?? resolve(options.root);
  const root = isInside(real, project) ? project : dirname(real);
  const loaded = await load(real, { options, chain: [], root, loaded: new Map() });
  const unique = new Map(loaded.diagnostics.map((finding) => [JSON.stringify(finding), finding]));
  return { ...loaded, diagnostics: [...unique.values()] };
}

async function load(path: string, state: Loading): Promise<LoadedRecipe> {
  const known = state.loaded.get(path);
  if (known !== undefined) return known;
  const loaded = await loadFile(path, { ...state, chain: [...state.chain, path] });
  state.loaded.set(path, loaded);
  return loaded;
}

async function loadFile(path: string, state: Loading): Promise<LoadedRecipe> {
  const { text, diagnostics: reading } = await readTextFile(path);
  if (text === null) return { recipe: null, diagnostics: reading };
  const included = await readIncludedFiles(path, text);
  const document = await readDocument(path, text, included.files);
  const own = [...reading, ...included.diagnostics, ...document.diagnostics];
  const { data, keys, positionOf, writtenOf, template } = document;
  if (data === null)
    return { recipe: null, diagnostics: hasError(own) ? own : [...own, noMap(path)] };
  const report: Report = (at, finding) => own.push({ path, ...positionOf(...at), ...finding });
  const fields = readFields({ data, keys, report, writtenOf });
  const { parameters } = fields;
  own.push(...(await checkFilters(path, template)));
  own.push(...checkTemplateNames({ path, document, included: included.names, parameters }));
  const below: Diagnostic[] = [];
  const subRecipes: SubRecipe[] = [];
  for (const [index, subRecipe] of fields.subRecipes.entries()) {
    const at = [...keys, "sub_recipes", index];
    subRecipes.push(await loadSubRecipe({ path, subRecipe, at, report, below }, state));
  }
  const name = toRecipeName(basename(path), fields.title);
  const { root } = state;
  const recipe = { ...fields, subRecipes, name, path, root, template, diagnostics: own };
  return { recipe, diagnostics: [...own, ...below] };
}

/** A sub-recipe of a filled recipe that its agent may call. Plain JSON. */
export interface LocatedSubRecipe extends SubRecipe {
  path: string;
  /** See `OfferedRecipe.way`. */
  way: string;
  /** The folder that must contain it. */
  root: string;
}

/** The position of the sub-recipes in a filled recipe, and the folders to search. */
export interface SubRecipeSearch {
  at: KeyPath;
  report: Report;
  folders: readonly string[];
}

/** Finds the files of a filled recipe's sub-recipes. Keeps those found before filling. */
export async function locateSubRecipes(
  { path, root, subRecipes }: Pick<Recipe, "path" | "root" | "subRecipes">,
  filled: readonly SubRecipe[],
  { at, report, folders }: SubRecipeSearch,
): Promise<LocatedSubRecipe[]> {
  const located: LocatedSubRecipe[] = [];
  const state = { options: { root, folders }, chain: [path], root, loaded: new Map() };
  for (const [index, subRecipe] of filled.entries()) {
    const before = subRecipes.find(({ name }) => name === subRecipe.name);
    const request = { path, subRecipe, at: [...at, index], report, below: [] };
    const {
      parameters,
      path: found,
      way,
      description,
    } = before?.path === undefined ? await loadSubRecipe(request, state) : before;
    if (found === undefined) continue;
    located.push({ ...subRecipe, path: found, way: way ?? found, root, parameters, description });
  }
  return located;
}

interface SubRecipeRequest {
  path: string;
  subRecipe: SubRecipe;
  /** The sub-recipe's position in the recipe. */
  at: KeyPath;
  report: Report;
  /** Collects the findings in its file. */
  below: Diagnostic[];
}

async function loadSubRecipe(request: SubRecipeRequest, state: Loading): Promise<SubRecipe> {
  const { path, subRecipe, at, report, below } = request;
  const { writtenPath } = subRecipe;
  if (writtenPath === "") return subRecipe;
  const { root, chain, options } = state;
  const found = await findSubRecipe(writtenPath, { path, root, folders: options.folders ?? [] });
  if (found === null) {
    report([...at, "path"], laterPath(writtenPath));
    return subRecipe;
  }
  const problem = "problem" in found ? found.problem : refuseNesting(found.path, chain);
  if (problem !== null || "problem" in found) {
    if (problem !== null) report([...at, "path"], problem);
    return subRecipe;
  }
  const { recipe, diagnostics } = await load(found.path, { ...state, root: found.root });
  below.push(...diagnostics);
  const { path: file, way } = found;
  const isBroken = recipe === null || hasError(recipe.diagnostics);
  if (isBroken) report([...at, "path"], broken(writtenPath, diagnostics));
  if (recipe === null) return { ...subRecipe, path: file, way };
  reportUnknownValues(subRecipe, recipe, (key, finding) => report([...at, "values", key], finding));
  return {
    ...subRecipe,
    path: file,
    way,
    description: subRecipe.description === "" ? recipe.description : subRecipe.description,
    parameters: recipe.parameters,
  };
}

function refuseNesting(path: string, chain: readonly string[]): Finding | null {
  const circle = chain.indexOf(path);
  if (circle !== -1) {
    const names = [...chain.slice(circle), path].map((one) => basename(one));
    const message = `The sub-recipes form a cycle: ${names.join(" > ")}.`;
    const fix = "Remove one of them.";
    return { severity: "error", code: "sub-recipe-cycle", message, fix };
  }
  if (chain.length < maxDepth) return null;
  const message = `Expected sub-recipes at most ${maxDepth} deep, got more.`;
  const fix = "Give one recipe several sub-recipes instead of nesting them.";
  return { severity: "error", code: "sub-recipe-depth", message, fix };
}

function reportUnknownValues(
  { values }: SubRecipe,
  { parameters, path }: Recipe,
  report: (key: string, finding: Finding) => void,
): void {
  const known = parameters.map(({ key }) => key);
  for (const key of Object.keys(values).filter((one) => !known.includes(one))) {
    const message = `\`${key}\` is not a parameter of ${basename(path)}; the value has no effect.${didYouMean(key, known)}`;
    const fix = "Remove it, or declare the parameter there.";
    report(key, { severity: "warning", code: "value-unknown", message, fix });
  }
}

function laterPath(written: string): Finding {
  const message = `The path \`${written}\` depends on parameters; it is looked for when the recipe is filled.`;
  return { severity: "info", code: "sub-recipe-later", message, fix: null };
}

/** The errors of a sub-recipe that make the whole recipe unusable, and not only calls of the sub-recipe. */
const endless = new Set(["sub-recipe-cycle", "sub-recipe-depth"]);

/** Creates the finding about a broken sub-recipe. It names the cause but not its consequences. */
function broken(written: string, found: readonly Diagnostic[]): Finding {
  const code = "sub-recipe-invalid";
  const cause = found.find((one) => one.severity === "error" && one.code !== code);
  const isEndless = found.some((one) => endless.has(one.code));
  const reason =
    cause === undefined ? "" : ` (${basename(cause.path)} line ${cause.line}: ${cause.message})`;
  const effect = isEndless ? "" : "; a call of it is refused";
  const message = `The sub-recipe \`${written}\` has errors${reason}${effect}.`;
  return { severity: isEndless ? "error" : "warning", code, message, fix: "Correct that file." };
}

function noMap(path: string): Diagnostic {
  const message = "Expected a recipe, which is a map of keys and values; got something else.";
  const fix = "Write `title:`, `description:` and `prompt:`, one per line.";
  return { path, line: 1, column: 1, severity: "error", code: "recipe-not-a-map", message, fix };
}
