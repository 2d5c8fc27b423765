import { dirname } from "node:path";
import { type AgentDefinition, defaultTimeoutSeconds } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import { openRecipe } from "../recipe/discover-recipes.ts";
import type { LocatedSubRecipe } from "../recipe/load-recipe.ts";
import type { AskParameter } from "../recipe/parameter-values.ts";
import { type Preparation, prepareRecipe, prepareSubRecipe } from "../recipe/prepare-recipe.ts";
import type { RecipeParameter } from "../recipe/recipe.ts";
import { recipeFolders, type RecipePlace } from "../recipe/recipe-folder.ts";
import type { OfferedRecipe } from "../run/offered-recipe.ts";
import { formatDiagnostic } from "../source/diagnostic.ts";
import type { JsonObject } from "../source/json.ts";
import type { Assignment } from "./delegation.ts";
import { sequenceOf } from "./recipe-sequence.ts";

/** Where recipes are found and filled. */
export interface RecipeSource {
  place: RecipePlace;
  /** Asks the user for a parameter; absent: nobody can be asked. */
  askParameter?: AskParameter;
}

/** What is asked of a recipe. */
export interface RecipeCall {
  parameters?: JsonObject | undefined;
  /** Added after what the recipe says itself. */
  instructions?: string | undefined;
  /** Absolute; where relative paths of its `file` parameters begin, and where they must lie. */
  workspace: string;
}

/** The part of an assignment that a recipe decides. */
export type RecipeAssignment = Pick<
  Assignment,
  "definition" | "task" | "warnings" | "sequence" | "hasToolsBesideParent"
>;

/**
 * The run that a call of a recipe asks for.
 *
 * @throws CadreError `invalid-argument` that lists everything that is wrong with the values, `definition-invalid`.
 */
export async function assignRecipe(
  { place }: RecipeSource,
  recipe: OfferedRecipe,
  call: RecipeCall,
): Promise<RecipeAssignment> {
  const options = fillOptions(place, call, [recipe.root]);
  const located: LocatedSubRecipe = {
    ...recipe,
    writtenPath: recipe.path,
    parameters: recipe.parameters as readonly RecipeParameter[],
  };
  const prepared = await prepareSubRecipe(located, call.parameters ?? {}, options);
  const { sequentialWhenRepeated, path, isSubRecipe = false } = recipe;
  const assignment = toAssignment(prepared, recipe, call);
  return {
    ...assignment,
    ...(sequentialWhenRepeated && { sequence: sequenceOf(path) }),
    ...(isSubRecipe && assignment.definition.tools !== undefined && { hasToolsBesideParent: true }),
  };
}

/** The same for a recipe that is an agent, found by its name or given as a file; the user is asked for what it needs. */
export async function assignRecipeAgent(
  { place, askParameter }: RecipeSource,
  { name, source }: AgentDefinition,
  call: RecipeCall,
): Promise<RecipeAssignment> {
  const { path, scope } = source;
  const { recipe, diagnostics } = await openRecipe(path ?? name, place);
  if (recipe === null) {
    const lines = diagnostics.map((found) => `\n- ${formatDiagnostic(found)}`).join("");
    throw new CadreError("definition-invalid", `The recipe ${path} cannot be used:${lines}`);
  }
  const prepared = await prepareRecipe(recipe, call.parameters ?? {}, {
    ...fillOptions(place, call, [dirname(recipe.path)]),
    ...(askParameter !== undefined && { ask: askParameter }),
  });
  if (!prepared.ok && prepared.problems.some(({ kind }) => kind === "missing")) {
    throw new CadreError("invalid-argument", `${prepared.message}\n${howToGive}`);
  }
  return toAssignment(
    prepared,
    { way: path ?? recipe.path, scope: scope === "builtin" ? "user" : scope },
    call,
  );
}

function fillOptions(
  place: RecipePlace,
  { workspace }: RecipeCall,
  roots: readonly string[],
): Parameters<typeof prepareRecipe>[2] {
  const folders = recipeFolders(place).map(({ path }) => path);
  return { cwd: workspace, roots: [workspace, ...roots], folders };
}

function toAssignment(
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
  "Values are given with the option `parameters`; agents can with the tool Subagent and `subrecipe`, not with Agent or sessions_spawn.";

function withInstructions(own: string, added: string | undefined): string {
  if (added === undefined) return own;
  return `${own}\n\n# Additional instructions\n\n${added}`.trim();
}

/** A recipe that another one has in its list, as the agent of that one is offered it. */
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
