import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { Delegation } from "../run/delegation.ts";
import { checkDelegation } from "./check-delegation.ts";
import type { Assignment, Origin } from "./delegation.ts";
import { type AgentSource, findAgent } from "./find-agent.ts";
import { assignRecipeAgent, type RecipeSource } from "./recipe-assignment.ts";
import { takeInput } from "./take-input.ts";

/** What a delegation says of an agent that has a task of its own. */
export type PromptCall = Pick<Delegation, "task" | "parameters" | "model">;

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
  ) => Promise<Pick<Assignment, "definition" | "task">>;
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

/** The same for an agent that is at hand; what the delegation calls it does not matter. */
export async function assignAgent(
  source: AssignmentSource,
  definition: AgentDefinition,
  { delegation, origin }: { delegation: Delegation; origin: Origin | undefined },
): Promise<Assignment> {
  const { agent, parameters, input, inputs, ...rest } = delegation;
  const { format } = definition.source;
  if (format !== "recipe" && format !== "prompt") {
    if (parameters !== undefined) throw takesNo(agent, "parameters");
    const { model, temperature } = rest;
    const options = {
      ...(model !== undefined && { model }),
      ...(temperature !== undefined && { temperature }),
    };
    const isAip = format === "aip" && Object.keys(options).length > 0;
    const assignment = {
      ...rest,
      ...takeInput(definition, delegation),
      ...(isAip && { options }),
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

function takesNo(agent: string, what: "parameters" | "input"): CadreError {
  const why =
    what === "parameters"
      ? "is no recipe, so it takes no parameters; write them into the task"
      : "has parameters, and takes no input; write it into `parameters` or the task";
  return new CadreError("invalid-argument", `The agent ${agent} ${why}.`);
}
