import { CadreError } from "../../errors.ts";
import type { RecipeParameter } from "../../recipe/recipe.ts";
import { unquote } from "../../source/shell/split-words.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { FilledCommand, ProjectCommand } from "../project-commands.ts";

/** A recipe as a command: `/name key=value … text`. */
export interface RecipeCommand {
  command: ProjectCommand;
  parameters: readonly RecipeParameter[];
}

/** Returns the recipes that can be run by their names. */
export async function findRecipeCommands(catalog: Catalog): Promise<RecipeCommand[]> {
  const { agents } = await catalog.discover();
  const usable = new Set(
    agents.filter(({ source }) => source.format === "recipe").map(({ name }) => name),
  );
  const recipes = (await catalog.recipes()).filter(({ name }) => usable.has(name));
  return recipes.map(({ name, description, way, parameters: given }) => {
    const parameters = given as readonly RecipeParameter[];
    const argumentHint = [...parameters.map(hintOf), "[TEXT]"].join(" ");
    const command = { name, description, argumentHint, kind: "recipe", path: way } as const;
    return { command, parameters };
  });
}

/**
 * Reads the values of a recipe: pairs `key=value`, and then a text that is added to the recipe's. Unknown keys and wrong values are
 * refused when the turn is requested, and the user is asked for what the recipe asks for.
 *
 * @throws CadreError `invalid-argument` that lists the missing values.
 */
export function fillRecipeCommand(
  { command, parameters }: RecipeCommand,
  argument: string,
): FilledCommand {
  const { values, text } = readPairs(argument);
  const missing = parameters.filter(
    ({ key, requirement, default: standard }) =>
      requirement !== "user_prompt" && standard === undefined && !values.has(key),
  );
  if (missing.length > 0) {
    const lines = missing.map(({ key, description }) => `\n- ${key}=…  ${description}`);
    const message = `Expected /${command.name} ${command.argumentHint}, with:${lines.join("")}`;
    throw new CadreError("invalid-argument", message);
  }
  return {
    agent: command.name,
    ...(text !== "" && { task: text }),
    ...(values.size > 0 && { parameters: Object.fromEntries(values) }),
    notes: [],
  };
}

function hintOf({ key, requirement, default: standard }: RecipeParameter): string {
  const isNeeded = requirement !== "user_prompt" && standard === undefined;
  return isNeeded ? `${key}=…` : `[${key}=…]`;
}

const pair = /\s*([A-Za-z_][\w-]*)=((?:[^\s'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")*)(?=\s|$)/y;

/** Reads the pairs at the beginning of a text. Values are quoted as in a shell. */
function readPairs(argument: string): { values: Map<string, string>; text: string } {
  const values = new Map<string, string>();
  let end = 0;
  pair.lastIndex = 0;
  for (let match = pair.exec(argument); match !== null; match = pair.exec(argument)) {
    const [, key = "", value = ""] = match;
    if (values.has(key)) {
      throw new CadreError("invalid-argument", `Expected one value for ${key}; got several.`);
    }
    values.set(key, unquote(value));
    end = pair.lastIndex;
  }
  return { values, text: argument.slice(end).trim() };
}
