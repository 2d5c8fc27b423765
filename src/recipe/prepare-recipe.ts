import { dirname } from "node:path";
import { type Diagnostic, formatDiagnostic, hasError } from "../source/diagnostic.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";
import { recipeFolderName } from "./check-names.ts";
import { fillRecipe } from "./fill-recipe.ts";
import { guardCommands } from "./guard-commands.ts";
import { loadRecipe, type LocatedSubRecipe, locateSubRecipes } from "./load-recipe.ts";
import { plainText } from "./parameter-value.ts";
import {
  type ParameterProblem,
  readParameterValues,
  type ValueOptions,
} from "./parameter-values.ts";
import { unwrapRecipe } from "./read-document.ts";
import { readFields } from "./read-fields.ts";
import type { Recipe } from "./recipe.ts";
import { type RecipeDefinition, recipeToDefinition } from "./recipe-definition.ts";

/** What filling a recipe needs besides its values. */
export interface PrepareOptions extends ValueOptions {
  /** Folders in which sub-recipes are found by name. Default: none. */
  folders?: readonly string[];
}

/** A recipe with values, ready to be run. Plain JSON. */
export interface PreparedRecipe {
  title: string;
  definition: RecipeDefinition;
  /** The recipe's prompt; empty when it has only instructions, and the task comes from whoever runs it. */
  task: string;
  subRecipes: LocatedSubRecipe[];
  activities: readonly string[];
  /** What whoever called should know, such as a value that the recipe did not take. */
  notes: string[];
  /** The recipe as it reads with its values. */
  filled: JsonObject;
  diagnostics: readonly Diagnostic[];
}

/** A filled recipe, or everything that keeps it from being one. */
export type Preparation =
  | { ok: true; recipe: PreparedRecipe }
  | {
      ok: false;
      /** Whether the values are wrong, or the recipe. */
      code: "input-invalid" | "definition-invalid";
      /** All of it in one text, a line each. */
      message: string;
      problems: ParameterProblem[];
      diagnostics: Diagnostic[];
    };

/**
 * Fills a recipe with values: texts from a command line, or JSON. All that is wrong with them is told at once. Nothing is
 * thrown for what a recipe or a value says.
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
    found.push({ path, ...filled.placeOf(...at), ...finding } as Diagnostic);
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

/**
 * Fills a sub-recipe for a call of it. The values its parent fixes win over those of the call, and a note says so.
 */
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
  return fixed !== undefined && fixed !== null && plainText(given) !== plainText(fixed);
}

function noteOverruled(key: string, given: JsonValue, fixed: JsonValue): string {
  return `The recipe fixes ${key}=${shorten(fixed)}; the given ${shorten(given)} was not used.`;
}

function shorten(value: JsonValue): string {
  const text = plainText(value).replace(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

const leftOut = new Set([
  "extension-not-offered",
  "extension-unknown",
  "tool-not-offered",
  "sub-recipe-invalid",
  "sub-recipe-repeated",
]);

/** What the recipe wants and does not get; what else is said of it matters to its author alone. */
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

function refuseValues({ title, path }: Recipe, problems: ParameterProblem[]): Preparation {
  const lines = problems.map(({ message }) => message);
  const message = [`The recipe "${title}" (${path}) cannot be filled:`, ...lines].join("\n- ");
  return { ok: false, code: "input-invalid", message, problems, diagnostics: [] };
}
