import { basename } from "node:path";
import { type AgentDefinition, type AgentScope, defaultTimeoutSeconds } from "../agent/agent.ts";
import type { Discovery } from "../agent/discover.ts";
import { type FoundRecipe, openRecipe, type RecipeDiscovery } from "../recipe/discover-recipes.ts";
import type { RecipePlace } from "../recipe/recipe-folder.ts";
import { recipeToDefinition } from "../recipe/recipe-definition.ts";
import type { OfferedRecipe } from "../run/offered-recipe.ts";
import { type Diagnostic, hasError } from "../source/diagnostic.ts";

const scopes: readonly AgentScope[] = ["library", "project", "user", "builtin"];

/** Adds the recipes of the recipe folders to the agents: behind those of the same scope, since the first of a name wins. */
export function addRecipes(found: Discovery, { recipes, diagnostics }: RecipeDiscovery): Discovery {
  const names = new Map<string, AgentDefinition>();
  for (const agent of found.all) if (!names.has(agent.name)) names.set(agent.name, agent);
  const added: AgentDefinition[] = [];
  const shadowed: Diagnostic[] = [];
  for (const recipe of recipes) {
    const definition = toDefinition(recipe);
    const winner = names.get(definition.name);
    const isFirst = winner === undefined || rankOf(definition) < rankOf(winner);
    if (isFirst) names.set(definition.name, definition);
    else shadowed.push(describeShadow(definition, winner));
    added.push(definition);
  }
  const all = [...found.all, ...added].sort((left, right) => rankOf(left) - rankOf(right));
  const isUsable = (agent: AgentDefinition): boolean =>
    names.get(agent.name) === agent && !hasError(agent.diagnostics);
  const usable = new Set(found.agents);
  const agents = all.filter(
    (agent) => isUsable(agent) && (usable.has(agent) || added.includes(agent)),
  );
  return { agents, all, diagnostics: [...found.diagnostics, ...diagnostics, ...shadowed] };
}

/** The recipes of files given by hand; one that cannot be read at all is an agent with errors. */
export async function loadRecipeAgents(
  files: readonly string[],
  place: RecipePlace,
): Promise<AgentDefinition[]> {
  return await Promise.all(files.map((path) => loadRecipeAgent(path, place)));
}

async function loadRecipeAgent(path: string, place: RecipePlace): Promise<AgentDefinition> {
  const { recipe, diagnostics } = await openRecipe(path, place);
  const source = { format: "recipe", scope: "library", path } as const;
  if (recipe !== null)
    return { ...toDefinition({ recipe, scope: "project" }), diagnostics, source };
  const [name = path] = basename(path).split(".");
  const shared = { timeoutSeconds: defaultTimeoutSeconds, lines: {} };
  return { name, description: "", systemPrompt: "", diagnostics, source, ...shared };
}

/** A recipe as those are offered it that may have any run. */
export function offerRecipe({ recipe, scope }: FoundRecipe): OfferedRecipe {
  const { name, description, path, root, parameters } = recipe;
  const offer = { name, description, path, root, scope, parameters };
  return { ...offer, values: {}, sequentialWhenRepeated: false };
}

/** Those that can be run, the first of each name. */
export function withoutErrors(recipes: readonly FoundRecipe[]): FoundRecipe[] {
  const first = recipes.filter(
    ({ recipe }, at) => recipes.findIndex((other) => other.recipe.name === recipe.name) === at,
  );
  return first.filter(({ recipe }) => !hasError(recipe.diagnostics));
}

function toDefinition({ recipe, scope }: FoundRecipe): AgentDefinition {
  return {
    ...recipeToDefinition(recipe.name, recipe),
    timeoutSeconds: defaultTimeoutSeconds,
    source: { format: "recipe", scope, path: recipe.path },
    diagnostics: recipe.diagnostics,
    lines: {},
  };
}

function rankOf({ source }: AgentDefinition): number {
  return scopes.indexOf(source.scope);
}

function describeShadow({ name, source }: AgentDefinition, winner: AgentDefinition): Diagnostic {
  const by = winner.source.path ?? `the ${winner.source.scope} one`;
  return {
    path: source.path ?? "",
    line: 1,
    column: 1,
    severity: "warning",
    code: "shadowed",
    message: `The recipe ${name} is not used: ${by} has the same name and comes first.`,
    fix: "Rename one of them.",
  };
}
