import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/agent.ts";
import { CadreError } from "../../errors.ts";
import { openRecipe } from "../../recipe/discover-recipes.ts";
import { fillWithDefaults, isCommandOf } from "../../recipe/fill-unknown.ts";
import { isRecipeFile, recipeFolders } from "../../recipe/recipe-folder.ts";
import type { Recipe } from "../../recipe/recipe.ts";
import { hasError } from "../../source/diagnostic.ts";
import { isInside } from "../../source/real-path.ts";
import { loadAgentAt } from "../agent-reference.ts";
import type { AdmissionPlace } from "./admission-place.ts";

/** An agent as it is defined now. */
export interface CurrentDefinition extends AgentDefinition {
  /** Whether a command of a recorded run is still one of its checks, or its `onFailure`. */
  hasCommand(command: string): Promise<boolean>;
}

/** What says which agent is meant. */
export interface DefinitionReference {
  name: string;
  /** Absolute; `null` = given in code, or Cadre's own. */
  path: string | null;
}

/**
 * Finds the agent again that a recorded run is of: in the file it came from, or among those given in code. `undefined` when
 * it is not there any more. Where it is found decides whether it is the user's own, not what the journal says.
 */
export async function findDefinition(
  place: AdmissionPlace,
  { name, path }: DefinitionReference,
): Promise<CurrentDefinition | undefined> {
  const { all } = await place.catalog.discover();
  const known = all.find((agent) => agent.source.path === path && agent.name === name);
  if (known !== undefined && known.source.format !== "recipe") return withCommands(known);
  if (path === null) return undefined;
  if (isRecipeFile(path)) return await findRecipeDefinition(place, path);
  const loaded = await load(place, path);
  return loaded?.name === name ? withCommands(loaded) : undefined;
}

/** Whether a recipe lies in one of the user's own folders of recipes. */
export function isUsersRecipe(place: AdmissionPlace, path: string): boolean {
  const folders = recipeFolders(place).filter(({ scope }) => scope === "user");
  return folders.some((folder) => isInside(path, folder.path));
}

async function load(place: AdmissionPlace, path: string): Promise<AgentDefinition | undefined> {
  try {
    return await loadAgentAt(path, [], { ...place, isLater: place.catalog.isLater });
  } catch (error) {
    if (error instanceof CadreError) return undefined;
    throw error;
  }
}

function withCommands(definition: AgentDefinition): CurrentDefinition {
  const { checks = [], onFailure } = definition.retry ?? {};
  const commands = new Set([...checks.map(({ command }) => command), onFailure]);
  return { ...definition, hasCommand: async (command) => commands.has(command) };
}

/** A recipe's values are not recorded, so it is filled without. `undefined` for a file that is no recipe any more. */
async function findRecipeDefinition(
  place: AdmissionPlace,
  path: string,
): Promise<CurrentDefinition | undefined> {
  const recipe = await open(place, path);
  const filled = recipe === null ? undefined : await fillWithDefaults(recipe);
  if (recipe === null || filled === undefined) return undefined;
  return {
    ...filled,
    timeoutSeconds: defaultTimeoutSeconds,
    source: {
      format: "recipe",
      scope: isUsersRecipe(place, recipe.path) ? "user" : "library",
      path: recipe.path,
    },
    diagnostics: [],
    lines: {},
    hasCommand: async (command) => await isCommandOf(recipe, command),
  };
}

async function open(place: AdmissionPlace, path: string): Promise<Recipe | null> {
  try {
    const { recipe } = await openRecipe(path, place);
    return recipe === null || hasError(recipe.diagnostics) ? null : recipe;
  } catch (error) {
    if (error instanceof CadreError) return null;
    throw error;
  }
}
