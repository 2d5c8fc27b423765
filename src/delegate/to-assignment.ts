import { CadreError } from "../errors.ts";
import type { Delegation } from "../run/delegation.ts";
import { checkDelegation } from "./check-delegation.ts";
import type { Assignment, Origin } from "./delegation.ts";
import { type AgentSource, findAgent } from "./find-agent.ts";
import { assignRecipeAgent, type RecipeSource } from "./recipe-assignment.ts";

/** Where the agents that are asked for by name come from. */
export interface AssignmentSource extends AgentSource {
  recipes: RecipeSource;
  /** Absolute. */
  workspace: string;
}

/**
 * What a delegation comes to: its agent found, and filled where that is a recipe.
 *
 * @throws CadreError `agent-not-found`, `definition-invalid`, `delegation-denied` or `invalid-argument`.
 */
export async function toAssignment(
  source: AssignmentSource,
  { agent, parameters, ...rest }: Delegation,
  origin: Origin | undefined,
): Promise<Assignment> {
  const definition = await findAgent(source, agent, origin);
  if (definition.source.format === "recipe") {
    const workspace = origin?.spec.workspace ?? source.workspace;
    const call = { parameters, instructions: rest.task, workspace };
    // Agents cannot have the user asked for what they left out.
    const recipes = origin === undefined ? source.recipes : { place: source.recipes.place };
    return { ...rest, ...(await assignRecipeAgent(recipes, definition, call)) };
  }
  if (parameters === undefined) {
    const assignment = { ...rest, task: rest.task ?? "", definition };
    // Only a recipe has a task of its own.
    checkDelegation(assignment, "assignment");
    return assignment;
  }
  const message = `The agent ${agent} is no recipe, so it takes no parameters; write them into the task.`;
  throw new CadreError("invalid-argument", message);
}
