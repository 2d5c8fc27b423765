// A request to delegate: finds the agent, fills the recipe or continues a conversation, and checks input and images.

import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { AipModel, AipOptions } from "../../aip/document/aip-options.ts";
import { CadreError } from "../../errors.ts";
import type { Delegation } from "../../run/delegation.ts";
import { checkDelegation } from "./check-delegation.ts";
import type { Assignment, Origin } from "../assignment.ts";
import { type AgentDirectory, findAgent } from "./find-agent.ts";
import { assignRecipeAgent, type RecipeSource } from "./recipe-assignment.ts";
import { takeInput } from "./take-input.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The settings of a delegation to an agent with its own task. */
export type PromptCall = Pick<Delegation, "task" | "parameters" | "model">;

/**
 * Finds the model and effort that AIPack uses for the name in `options`; `undefined` when they name none. The name may be an
 * alias of the options, of an `.aip` definition, or of AIPack's configuration.
 *
 * @throws CadreError `model-unavailable` for an alias of a model that reads or writes a file.
 */
export type ChooseAipModel = (
  options: AipOptions,
  definition?: AgentDefinition,
) => Promise<AipModel | undefined>;

/** The sources for resolving agents by name. */
export interface AssignmentSource extends AgentDirectory {
  recipes: RecipeSource;
  /**
   * Prepares the pipeline of a prompt file.
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
 * Resolves a delegation: finds its agent, and fills a recipe or prompt file.
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

/** A request for a resolved agent. */
export interface AgentRequest {
  delegation: Delegation;
  origin: Origin | undefined;
  /** The options of an `.aip` agent, without model and temperature. */
  options?: AipOptions;
}

/** Like {@link toAssignment}, for a resolved agent. Ignores the delegation's agent name. */
export async function assignAgent(
  source: AssignmentSource,
  definition: AgentDefinition,
  { delegation, origin, options }: AgentRequest,
): Promise<Assignment> {
  const { agent, parameters, input, inputs, ...rest } = delegation;
  const { takesParameters, takesAipOptions } = agentKindOf(definition.source);
  if (!takesParameters) {
    if (parameters !== undefined) throw takesNo(agent, "parameters");
    const assignment = {
      ...rest,
      ...takeInput(definition, delegation),
      ...(takesAipOptions && (await assignAipOptions(source, definition, { ...rest, options }))),
      definition,
    };
    // Only recipes and prompt files have their own task.
    checkDelegation(assignment, "assignment");
    return assignment;
  }
  if (input !== undefined || inputs !== undefined) throw takesNo(agent, "input");
  if (rest.taskCalls !== undefined) throw takesNo(agent, "taskCalls");
  if (definition.source.format === "prompt") {
    return { ...rest, ...(await source.preparePrompt(definition, delegation)) };
  }
  const workspace = origin?.spec.workspace ?? source.workspace;
  const call = { parameters, instructions: rest.task, workspace };
  // Agents cannot make the user fill in missing values.
  const recipes = origin === undefined ? source.recipes : { search: source.recipes.search };
  return { ...rest, ...(await assignRecipeAgent(recipes, definition, call)) };
}

/** Assigns the options of an `.aip` agent. The run uses the resolved model, and the agent resolves the name again. */
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
    ...omitUndefined({ model, temperature }),
  };
  const chosen = await chooseAipModel(given, definition);
  return {
    ...(Object.keys(given).length > 0 && { options: given }),
    ...omitUndefined({ model: chosen?.model }),
  };
}

const whyNot = {
  parameters: "is not a recipe, so it takes no parameters; put them into the task",
  input: "has parameters, so it takes no input; put it into `parameters` or the task",
  taskCalls: "has its own task, so it takes no `taskCalls`; its agent can make the calls",
} as const;

function takesNo(agent: string, what: keyof typeof whyNot): CadreError {
  return new CadreError("invalid-argument", `The agent ${agent} ${whyNot[what]}.`);
}
