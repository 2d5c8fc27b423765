import { dirname } from "node:path";
import { recipeFolderName } from "../read/check-names.ts";
import type { JsonValue } from "../../source/json.ts";
import { fillRecipe } from "../template/fill-recipe.ts";
import { convertValue } from "../parameter/parameter-value.ts";
import { unwrapRecipe } from "../read/read-document.ts";
import { readFields } from "../read/read-fields.ts";
import type { Recipe } from "../recipe.ts";
import { type RecipeDefinition, recipeToDefinition } from "./recipe-definition.ts";

/** Represents an unknown value. No filter changes it, and no file contains it. */
const unknown = "\uF8FF";

/** The characters of a value in a command (see `guardCommands`), without spaces. */
const plainWord = /^[\p{L}\p{N}_@%+=:,./-]*$/u;

/**
 * Returns the definition of a recipe with unknown values, filled with defaults or with a mark for the unknown value (see {@link
 * hasUnknown}). Returns `undefined` when the recipe cannot be filled this way.
 */
export async function fillWithDefaults(recipe: Recipe): Promise<RecipeDefinition | undefined> {
  return await fillWith(recipe, (value) => value ?? unknown);
}

/** Reports whether a text, or any text in an object, contains an unknown value. */
export function hasUnknown(value: unknown): boolean {
  return JSON.stringify(value).includes(unknown);
}

/** Reports whether the `retry` of a recipe can produce a command with some valid values. */
export async function isCommandOf(recipe: Recipe, command: string): Promise<boolean> {
  for (const value of [undefined, unknown]) {
    const definition = await fillWith(recipe, (byDefault) => value ?? byDefault ?? unknown);
    const { checks = [], onFailure } = definition?.retry ?? {};
    const templates = [...checks.map((check) => check.command), onFailure ?? ""];
    if (templates.some((template) => template !== "" && fits(command, template))) return true;
  }
  return false;
}

async function fillWith(
  recipe: Recipe,
  choose: (byDefault: JsonValue | undefined) => JsonValue,
): Promise<RecipeDefinition | undefined> {
  const values = Object.fromEntries(
    recipe.parameters.map((parameter) => {
      const { key, inputType, default: byDefault } = parameter;
      // The content of a file may have changed since.
      const isKnown = inputType !== "file" && byDefault !== undefined;
      return [key, choose(isKnown ? convertValue(parameter, byDefault) : undefined)];
    }),
  );
  const filled = await fillRecipe(recipe, { ...values, [recipeFolderName]: dirname(recipe.path) });
  const { writtenOf } = filled;
  const { data, keys } = unwrapRecipe(filled.data);
  if (data === null) return undefined;
  const section = { data, keys, writtenOf, report: () => undefined };
  return recipeToDefinition(recipe.name, readFields(section));
}

/** Reports whether a command is the template with a word, or part of a word, for each unknown value. */
function fits(command: string, template: string): boolean {
  const [first = "", ...pieces] = template.split(unknown);
  if (!command.startsWith(first)) return false;
  let at = first.length;
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    const next = isLast ? command.length - piece.length : command.indexOf(piece, at);
    if (next < at || !command.startsWith(piece, next)) return false;
    if (!plainWord.test(command.slice(at, next))) return false;
    at = next + piece.length;
  }
  return at === command.length;
}
