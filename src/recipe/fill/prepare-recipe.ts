// Fills a recipe with values and converts it to a definition.

import { dirname } from "node:path";
import { type Diagnostic, formatDiagnostic, hasError } from "../../source/diagnostic.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { recipeFolderName } from "../read/check-names.ts";
import { fillRecipe } from "../template/fill-recipe.ts";
import { guardCommands } from "../parameter/guard-commands.ts";
import { loadRecipe, type LocatedSubRecipe, locateSubRecipes } from "../load/load-recipe.ts";
import { valueText } from "../parameter/parameter-value.ts";
import {
  type RecipeParameterProblem,
  readParameterValues,
  type ValueOptions,
} from "../parameter/parameter-values.ts";
import { unwrapRecipe } from "../read/read-document.ts";
import { readFields } from "../read/read-fields.ts";
import type { Recipe } from "../recipe.ts";
import { type RecipeDefinition, recipeToDefinition } from "./recipe-definition.ts";

/** The options of {@link prepareRecipe}. */
export interface PrepareOptions extends ValueOptions {
  /** The folders to search for sub-recipes by name. Default: none. */
  folders?: readonly string[];
}

/** A filled recipe, ready to run. Plain JSON. */
export interface PreparedRecipe {
  title: string;
  definition: RecipeDefinition;
  /** The recipe's prompt; empty when the recipe has only instructions, in which case the caller gives the task. */
  task: string;
  subRecipes: LocatedSubRecipe[];
  activities: readonly string[];
  /** Notes for the caller, for example about an unused value. */
  notes: string[];
  /** The content of the recipe with its values. */
  filled: JsonObject;
  diagnostics: readonly Diagnostic[];
}

/** A filled recipe, or all problems that prevent filling it. */
export type Preparation =
  | { ok: true; recipe: PreparedRecipe }
  | {
      ok: false;
      /** Whether the values or the recipe are invalid. */
      code: "input-invalid" | "definition-invalid";
      /** All problems in one text, one per line. */
      message: string;
      problems: RecipeParameterProblem[];
      diagnostics: Diagnostic[];
    };

/**
 * Fills a recipe with values: texts from a command line, or JSON. All problems of the values are reported together.
 * Invalid recipes and values never throw.
 */
export async function prepareRecipe(
  recipe: Recipe,
  given: Readonly<Record<string, JsonValue>>,
  options: PrepareOptions,
): Promise<Preparation> {
  if (hasError(recipe.diagnostics)) return refuseRecipe(recipe, recipe.diagnostics);
  const { values, problems } = await readParameterValues(recipe.parameters, given, options);
  const all = [...problems, ...guardCommands(recipe, given)];
  if (all.length > 0) return refuseValues(recipe, all);
  const filled = await fillRecipe(recipe, { ...values, [recipeFolderName]: dirname(recipe.path) });
  const { data, keys } = unwrapRecipe(filled.data);
  if (data === null) return refuseRecipe(recipe, filled.diagnostics);
  const { path } = recipe;
  const found: Diagnostic[] = [];
  const report = (at: readonly (string | number)[], finding: object): void => {
    found.push({ path, ...filled.positionOf(...at), ...finding } as Diagnostic);
  };
  const fields = readFields({ data, keys, report, writtenOf: filled.writtenOf });
  const located = await locateSubRecipes(recipe, fields.subRecipes, {
    at: [...keys, "sub_recipes"],
    report,
    folders: options.folders ?? [],
  });
  if (hasError(found)) return refuseRecipe(recipe, found);
  const known = new Set(recipe.diagnostics.map((one) => one.code + one.message));
  return {
    ok: true,
    recipe: {
      title: fields.title,
      definition: recipeToDefinition(recipe.name, fields),
      task: fields.prompt?.trim() ?? "",
      subRecipes: located,
      activities: fields.activities,
      notes: notesOn(recipe),
      filled: data,
      diagnostics: found.filter((one) => !known.has(one.code + one.message)),
    },
  };
}

/** Fills a sub-recipe for a call. Values that its parent fixes take precedence over the call's, and a note says so. */
export async function prepareSubRecipe(
  subRecipe: LocatedSubRecipe,
  given: Readonly<Record<string, JsonValue>>,
  options: PrepareOptions,
): Promise<Preparation> {
  const { path, root, values } = subRecipe;
  const { recipe, diagnostics } = await loadRecipe(path, { root, folders: options.folders ?? [] });
  if (recipe === null) return refuseRecipe({ path }, diagnostics);
  const fixed = Object.fromEntries(
    recipe.parameters
      .filter(({ key }) => Object.hasOwn(values, key))
      .map(({ key }) => [key, values[key] ?? null]),
  );
  const rest = Object.entries(given).filter(([key]) => !Object.hasOwn(values, key));
  const prepared = await prepareRecipe(recipe, { ...Object.fromEntries(rest), ...fixed }, options);
  if (!prepared.ok) return prepared;
  const notes = Object.entries(given)
    .filter(([key, value]) => isOverruled(value, values[key]))
    .map(([key, value]) => noteOverruled(key, value, values[key] ?? null));
  return { ok: true, recipe: { ...prepared.recipe, notes: [...prepared.recipe.notes, ...notes] } };
}

function isOverruled(given: JsonValue, fixed: JsonValue | undefined): boolean {
  return fixed !== undefined && fixed !== null && valueText(given) !== valueText(fixed);
}

function noteOverruled(key: string, given: JsonValue, fixed: JsonValue): string {
  return `The recipe fixes ${key}=${shorten(fixed)}; the given ${shorten(given)} was not used.`;
}

function shorten(value: JsonValue): string {
  const text = valueText(value).replace(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

const leftOut = new Set([
  "extension-not-offered",
  "extension-unknown",
  "tool-not-offered",
  "sub-recipe-invalid",
  "sub-recipe-repeated",
]);

/** Returns notes on what the recipe requests and does not get. Other findings concern only its author. */
function notesOn({ title, diagnostics }: Recipe): string[] {
  const found = diagnostics.filter(({ code }) => leftOut.has(code));
  return found.map(({ message }) => `The recipe "${title}": ${message}`);
}

function refuseRecipe(
  { path }: Pick<Recipe, "path">,
  diagnostics: readonly Diagnostic[],
): Preparation {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const message = [`The recipe ${path} cannot be used:`, ...errors.map(formatDiagnostic)].join(
    "\n- ",
  );
  return { ok: false, code: "definition-invalid", message, problems: [], diagnostics: errors };
}

function refuseValues({ title, path }: Recipe, problems: RecipeParameterProblem[]): Preparation {
  const lines = problems.map(({ message }) => message);
  const message = [`The recipe "${title}" (${path}) cannot be filled:`, ...lines].join("\n- ");
  return { ok: false, code: "input-invalid", message, problems, diagnostics: [] };
}
