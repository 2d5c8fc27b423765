import { dirname } from "node:path";
import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import { openRecipe } from "../../recipe/load/discover-recipes.ts";
import type { LocatedSubRecipe } from "../../recipe/load/load-recipe.ts";
import type { AskParameter } from "../../recipe/parameter/parameter-values.ts";
import {
  type Preparation,
  prepareRecipe,
  prepareSubRecipe,
} from "../../recipe/fill/prepare-recipe.ts";
import type { RecipeParameter } from "../../recipe/recipe.ts";
import { recipeFolders, type RecipeSearch } from "../../recipe/recipe-folder.ts";
import type { OfferedRecipe } from "../../run/offered-recipe.ts";
import { formatDiagnostic } from "../../source/diagnostic.ts";
import type { JsonObject } from "../../source/json.ts";
import type { Assignment } from "../assignment.ts";
import { sequenceOf } from "../family/recipe-sequence.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Finds and fills recipes. */
export interface RecipeSource {
  search: RecipeSearch;
  /** Asks the user for a parameter. Absent: the user cannot be asked. */
  askParameter?: AskParameter;
}

/** A call of a recipe. */
export interface RecipeCall {
  parameters?: JsonObject | undefined;
  /** Added after the recipe's own instructions. */
  instructions?: string | undefined;
  /** The folder for relative paths of its `file` parameters, which must lie in it. Absolute. */
  workspace: string;
}

/** The part of an assignment that a recipe determines. */
export type RecipeAssignment = Pick<
  Assignment,
  "definition" | "task" | "warnings" | "sequence" | "hasToolsBesideParent"
>;

/**
 * Creates the assignment of a recipe call.
 *
 * @throws CadreError `invalid-argument` with every problem of the values, or `definition-invalid`.
 */
export async function assignRecipe(
  { search }: RecipeSource,
  recipe: OfferedRecipe,
  call: RecipeCall,
): Promise<RecipeAssignment> {
  const options = fillOptions(search, call, [recipe.root]);
  const located: LocatedSubRecipe = {
    ...recipe,
    writtenPath: recipe.path,
    parameters: recipe.parameters as readonly RecipeParameter[],
  };
  const prepared = await prepareSubRecipe(located, call.parameters ?? {}, options);
  const { sequentialWhenRepeated, path, isSubRecipe = false } = recipe;
  const assignment = toRecipeAssignment(prepared, recipe, call);
  return {
    ...assignment,
    ...(sequentialWhenRepeated && { sequence: sequenceOf(path) }),
    ...(isSubRecipe && assignment.definition.tools !== undefined && { hasToolsBesideParent: true }),
  };
}

/** Like {@link assignRecipe}, for a recipe used as an agent, by its name or file. Asks the user for missing values. */
export async function assignRecipeAgent(
  { search, askParameter }: RecipeSource,
  { name, source }: AgentDefinition,
  call: RecipeCall,
): Promise<RecipeAssignment> {
  const { path, scope } = source;
  const { recipe, diagnostics } = await openRecipe(path ?? name, search);
  if (recipe === null) {
    const lines = diagnostics.map((found) => `\n- ${formatDiagnostic(found)}`).join("");
    throw new CadreError("definition-invalid", `The recipe ${path} cannot be used:${lines}`);
  }
  const prepared = await prepareRecipe(recipe, call.parameters ?? {}, {
    ...fillOptions(search, call, [dirname(recipe.path)]),
    ...omitUndefined({ ask: askParameter }),
  });
  if (!prepared.ok && prepared.problems.some(({ kind }) => kind === "missing")) {
    throw new CadreError("invalid-argument", `${prepared.message}\n${howToGive}`);
  }
  return toRecipeAssignment(
    prepared,
    { way: path ?? recipe.path, scope: scope === "builtin" ? "user" : scope },
    call,
  );
}

function fillOptions(
  search: RecipeSearch,
  { workspace }: RecipeCall,
  roots: readonly string[],
): Parameters<typeof prepareRecipe>[2] {
  const folders = recipeFolders(search).map(({ path }) => path);
  return { cwd: workspace, roots: [workspace, ...roots], folders };
}

function toRecipeAssignment(
  prepared: Preparation,
  { way, scope }: Pick<OfferedRecipe, "way" | "scope">,
  { instructions }: RecipeCall,
): RecipeAssignment {
  if (!prepared.ok) {
    const { code, message } = prepared;
    throw new CadreError(code === "input-invalid" ? "invalid-argument" : code, message);
  }
  const { definition, task, subRecipes, notes } = prepared.recipe;
  return {
    definition: {
      ...definition,
      systemPrompt: withInstructions(definition.systemPrompt, instructions),
      timeoutSeconds: defaultTimeoutSeconds,
      recipes: subRecipes.map((subRecipe) => toOffered(subRecipe, scope)),
      source: { format: "recipe", scope, path: way },
      diagnostics: [],
      lines: {},
    },
    task: task === "" ? (instructions ?? "Do what your instructions say.") : task,
    warnings: notes,
  };
}

const howToGive =
  "Pass values with the option `parameters`; agents pass them with the tool Subagent and `subrecipe`, not with Agent or sessions_spawn.";

function withInstructions(own: string, added: string | undefined): string {
  if (added === undefined) return own;
  return `${own}\n\n# Additional instructions\n\n${added}`.trim();
}

/** Returns a recipe in another recipe's list, as the agent sees it. */
function toOffered(
  {
    name,
    description,
    path,
    way,
    root,
    values,
    sequentialWhenRepeated,
    parameters,
  }: LocatedSubRecipe,
  scope: OfferedRecipe["scope"],
): OfferedRecipe {
  const offer = { name, description, path, way, root, scope, values, parameters };
  return { ...offer, sequentialWhenRepeated, isSubRecipe: true };
}
