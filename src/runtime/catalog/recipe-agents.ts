import { basename } from "node:path";
import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import type { Discovery } from "../../agent/discover.ts";
import { addAgents } from "./add-agents.ts";
import {
  type FoundRecipe,
  openRecipe,
  type RecipeDiscovery,
} from "../../recipe/load/discover-recipes.ts";
import type { RecipeSearch } from "../../recipe/recipe-folder.ts";
import { recipeToDefinition } from "../../recipe/fill/recipe-definition.ts";
import type { OfferedRecipe } from "../../run/offered-recipe.ts";
import { hasError } from "../../source/diagnostic.ts";

/** Adds the recipes in recipe folders to the agents. */
export function addRecipes(found: Discovery, { recipes, diagnostics }: RecipeDiscovery): Discovery {
  return addAgents(found, recipes.map(toUnfilledDefinition), diagnostics);
}

/** Loads recipe files given by path. An unreadable one is an agent with errors. */
export async function loadRecipeAgents(
  files: readonly string[],
  search: RecipeSearch,
): Promise<AgentDefinition[]> {
  return await Promise.all(files.map((path) => loadRecipeAgent(path, search)));
}

async function loadRecipeAgent(path: string, search: RecipeSearch): Promise<AgentDefinition> {
  const { recipe, diagnostics } = await openRecipe(path, search);
  const source = { format: "recipe", scope: "library", path } as const;
  // Problems of sub-recipes are reported when they are called.
  if (recipe !== null) {
    return { ...toUnfilledDefinition({ recipe, way: path, scope: "project" }), source };
  }
  const [name = path] = basename(path).split(".");
  const shared = { timeoutSeconds: defaultTimeoutSeconds, lines: {} };
  return { name, description: "", systemPrompt: "", diagnostics, source, ...shared };
}

/** Returns a recipe in the form for agents that may run any recipe. */
export function offerRecipe({ recipe, way, scope }: FoundRecipe): OfferedRecipe {
  const { name, description, path, root, parameters } = recipe;
  const offer = { name, description, path, way, root, scope, parameters };
  return { ...offer, values: {}, sequentialWhenRepeated: false };
}

/** Returns the usable recipes, the first of each name. */
export function withoutErrors(recipes: readonly FoundRecipe[]): FoundRecipe[] {
  const first = recipes.filter(
    ({ recipe }, at) => recipes.findIndex((other) => other.recipe.name === recipe.name) === at,
  );
  return first.filter(({ recipe }) => !hasError(recipe.diagnostics));
}

function toUnfilledDefinition({ recipe, way, scope }: FoundRecipe): AgentDefinition {
  return {
    ...recipeToDefinition(recipe.name, recipe),
    timeoutSeconds: defaultTimeoutSeconds,
    source: { format: "recipe", scope, path: way },
    diagnostics: recipe.diagnostics,
    lines: {},
  };
}
