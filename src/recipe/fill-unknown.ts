import { dirname } from "node:path";
import { recipeFolderName } from "./check-names.ts";
import type { JsonValue } from "../source/json.ts";
import { fillRecipe } from "./fill-recipe.ts";
import { convertValue } from "./parameter-value.ts";
import { unwrapRecipe } from "./read-document.ts";
import { readFields } from "./read-fields.ts";
import type { Recipe } from "./recipe.ts";
import { type RecipeDefinition, recipeToDefinition } from "./recipe-definition.ts";

/** Stands for a value that is not known. No filter changes it, and no file has it. */
const unknown = "\uF8FF";

/** What a value may have in a command (see `guardCommands`), without blanks. */
const plainWord = /^[\p{L}\p{N}_@%+=:,./-]*$/u;

/**
 * The definition of a recipe whose values are not known any more: with defaults where it has some, else with a mark in
 * their place (see {@link hasUnknown}). `undefined` when it cannot be filled like that.
 */
export async function fillWithDefaults(recipe: Recipe): Promise<RecipeDefinition | undefined> {
  return await fillWith(recipe, (value) => value ?? unknown);
}

/** Whether a text, or any text in an object, depends on a value that is not known. */
export function hasUnknown(value: unknown): boolean {
  return JSON.stringify(value).includes(unknown);
}

/** Whether a command is one that the `retry` of a recipe comes to with some values that it takes. */
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
      // The content of a file may have changed.
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

/** Whether a command is the template with a word, or a part of one, for each unknown value. */
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
