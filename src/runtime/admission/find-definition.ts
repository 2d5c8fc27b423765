import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import { openRecipe } from "../../recipe/load/discover-recipes.ts";
import { fillWithDefaults, isCommandOf } from "../../recipe/fill/fill-unknown.ts";
import { isRecipeFile, recipeFolders } from "../../recipe/recipe-folder.ts";
import type { Recipe } from "../../recipe/recipe.ts";
import { hasError } from "../../source/diagnostic.ts";
import { isInside } from "../../source/file/real-path.ts";
import { loadAgentAt } from "../catalog/agent-reference.ts";
import type { AdmissionContext } from "./admission-context.ts";

/** The current definition of an agent. */
export interface CurrentDefinition extends AgentDefinition {
  /** Reports whether a recorded command is still one of its checks or its `onFailure`. */
  hasCommand(command: string): Promise<boolean>;
}

/** The identity of an agent. */
export interface DefinitionReference {
  name: string;
  /** Absolute; `null` = given in code or built in. */
  path: string | null;
}

/**
 * Finds the current definition of a recorded run's agent: in the file it came from, or among those given in code; `undefined`
 * when it is gone. The place of the file, not the journal, decides whether it is the user's own.
 */
export async function findDefinition(
  context: AdmissionContext,
  { name, path }: DefinitionReference,
): Promise<CurrentDefinition | undefined> {
  const { all } = await context.catalog.discover();
  const known = all.find((agent) => agent.source.path === path && agent.name === name);
  if (known !== undefined && !agentKindOf(known.source).isFilled) return withCommands(known);
  if (path === null) return undefined;
  if (isRecipeFile(path)) return await findRecipeDefinition(context, path);
  const loaded = await load(context, path);
  return loaded?.name === name ? withCommands(loaded) : undefined;
}

/** Reports whether a recipe lies in one of the user's recipe folders. */
export function isUsersRecipe(context: AdmissionContext, path: string): boolean {
  const folders = recipeFolders(context).filter(({ scope }) => scope === "user");
  return folders.some((folder) => isInside(path, folder.path));
}

async function load(context: AdmissionContext, path: string): Promise<AgentDefinition | undefined> {
  try {
    const { isLater, formats, ownTools } = context.catalog;
    return await loadAgentAt(path, [], { ...context, isLater, formats, ownTools });
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

/** Fills a recipe without values, which are not recorded; `undefined` for a file that is no longer a recipe. */
async function findRecipeDefinition(
  context: AdmissionContext,
  path: string,
): Promise<CurrentDefinition | undefined> {
  const recipe = await open(context, path);
  const filled = recipe === null ? undefined : await fillWithDefaults(recipe);
  if (recipe === null || filled === undefined) return undefined;
  return {
    ...filled,
    timeoutSeconds: defaultTimeoutSeconds,
    source: {
      format: "recipe",
      scope: isUsersRecipe(context, recipe.path) ? "user" : "library",
      path: recipe.path,
    },
    diagnostics: [],
    lines: {},
    hasCommand: async (command) => await isCommandOf(recipe, command),
  };
}

async function open(context: AdmissionContext, path: string): Promise<Recipe | null> {
  try {
    const { recipe } = await openRecipe(path, context);
    return recipe === null || hasError(recipe.diagnostics) ? null : recipe;
  } catch (error) {
    if (error instanceof CadreError) return null;
    throw error;
  }
}
