import type { AgentDefinition } from "../agent/agent.ts";
import type { AipModel, AipOptions } from "../aip/aip-options.ts";
import { CadreError } from "../errors.ts";
import type { Delegation } from "../run/delegation.ts";
import { checkDelegation } from "./check-delegation.ts";
import type { Assignment, Origin } from "./delegation.ts";
import { type AgentSource, findAgent } from "./find-agent.ts";
import { assignRecipeAgent, type RecipeSource } from "./recipe-assignment.ts";
import { takeInput } from "./take-input.ts";

/** What a delegation says of an agent that has a task of its own. */
export type PromptCall = Pick<Delegation, "task" | "parameters" | "model">;

/**
 * The model that AIPack means by the name in `options`, and how hard it should think; `undefined` where they name none. The
 * name may be an alias of the options, of the definition where that is an `.aip` file, or of AIPack's configuration.
 *
 * @throws CadreError `model-unavailable` for an alias of a model that reads or writes a file.
 */
export type ChooseAipModel = (
  options: AipOptions,
  definition?: AgentDefinition,
) => Promise<AipModel | undefined>;

/** Where the agents that are asked for by name come from. */
export interface AssignmentSource extends AgentSource {
  recipes: RecipeSource;
  /**
   * The pipeline of a prompt file, ready to be run.
   *
   * @throws CadreError `definition-invalid`, `invalid-argument` or `agent-not-found`.
   */
  preparePrompt: (
    definition: AgentDefinition,
    call: PromptCall,
  ) => Promise<Pick<Assignment, "definition" | "task" | "model">>;
  /** See {@link ChooseAipModel}. */
  chooseAipModel: ChooseAipModel;
  /** Absolute. */
  workspace: string;
}

/**
 * What a delegation comes to: its agent found, and filled where that is a recipe or a prompt file.
 *
 * @throws CadreError `agent-not-found`, `definition-invalid`, `delegation-denied` or `invalid-argument`.
 */
export async function toAssignment(
  source: AssignmentSource,
  delegation: Delegation,
  origin: Origin | undefined,
): Promise<Assignment> {
  const definition = await findAgent(source, delegation.agent, origin);
  return await assignAgent(source, definition, { delegation, origin });
}

/** A request for an agent that is at hand. */
export interface AgentRequest {
  delegation: Delegation;
  origin: Origin | undefined;
  /** What an `.aip` agent is given besides the model and the temperature of the delegation. */
  options?: AipOptions;
}

/** The same for an agent that is at hand; what the delegation calls it does not matter. */
export async function assignAgent(
  source: AssignmentSource,
  definition: AgentDefinition,
  { delegation, origin, options }: AgentRequest,
): Promise<Assignment> {
  const { agent, parameters, input, inputs, ...rest } = delegation;
  const { format } = definition.source;
  if (format !== "recipe" && format !== "prompt") {
    if (parameters !== undefined) throw takesNo(agent, "parameters");
    const assignment = {
      ...rest,
      ...takeInput(definition, delegation),
      ...(format === "aip" && (await assignAipOptions(source, definition, { ...rest, options }))),
      definition,
    };
    // Only recipes and prompt files have tasks of their own.
    checkDelegation(assignment, "assignment");
    return assignment;
  }
  if (input !== undefined || inputs !== undefined) throw takesNo(agent, "input");
  if (format === "prompt") {
    return { ...rest, ...(await source.preparePrompt(definition, delegation)) };
  }
  const workspace = origin?.spec.workspace ?? source.workspace;
  const call = { parameters, instructions: rest.task, workspace };
  // Agents cannot have the user asked for what they left out.
  const recipes = origin === undefined ? source.recipes : { place: source.recipes.place };
  return { ...rest, ...(await assignRecipeAgent(recipes, definition, call)) };
}

/** What the caller of an `.aip` agent wants. The run has the model that is meant; the agent resolves the name once more. */
async function assignAipOptions(
  { chooseAipModel }: AssignmentSource,
  definition: AgentDefinition,
  {
    model,
    temperature,
    options,
  }: Pick<Assignment, "model" | "temperature"> & { options: AipOptions | undefined },
): Promise<Pick<Assignment, "model" | "options">> {
  const given: AipOptions = {
    ...options,
    ...(model !== undefined && { model }),
    ...(temperature !== undefined && { temperature }),
  };
  const chosen = await chooseAipModel(given, definition);
  return {
    ...(Object.keys(given).length > 0 && { options: given }),
    ...(chosen !== undefined && { model: chosen.model }),
  };
}

function takesNo(agent: string, what: "parameters" | "input"): CadreError {
  const why =
    what === "parameters"
      ? "is no recipe, so it takes no parameters; write them into the task"
      : "has parameters, and takes no input; write it into `parameters` or the task";
  return new CadreError("invalid-argument", `The agent ${agent} ${why}.`);
}
