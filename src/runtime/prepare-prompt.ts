import { CadreError } from "../errors.ts";
import type { AgentDefinition } from "../agent/agent.ts";
import type { AssignmentSource } from "../delegate/to-assignment.ts";
import { checkParameters } from "../pipeline/check-parameters.ts";
import { createPlaceFinder } from "../source/place.ts";
import { type Diagnostic, formatDiagnostic } from "../source/diagnostic.ts";
import { readPromptOptions } from "./aip/aip-model-choice.ts";
import { type AgentLookup, findAgentProblems, isBlocking } from "./find-agent-problems.ts";

/** What {@link createPromptPreparation} needs. */
export interface PreparationPlace extends AgentLookup, Pick<AssignmentSource, "chooseAipModel"> {
  cwd: string;
}

/** Makes what turns a prompt file and what is said besides it into a pipeline, of which everything needed is there. */
export function createPromptPreparation(
  place: PreparationPlace,
): AssignmentSource["preparePrompt"] {
  return async (definition, { task, parameters, model }) => {
    const { prompt = { params: {}, instruction: "" }, source, name } = definition;
    const params = {
      ...prompt.params,
      ...parameters,
      ...(model !== undefined && { model }),
    };
    const path = source.path ?? place.cwd;
    const parts = [prompt.instruction, task ?? ""].filter((part) => part.trim() !== "");
    const instruction = parts.join("\n\n");
    const { model: _, ...rest } = definition;
    const placed = { path, params, placeOf: createPlaceFinder(new Map(), { line: 1, column: 1 }) };
    const wrong = checkParameters(placed).filter(({ severity }) => severity === "error");
    const options = wrong.length > 0 ? {} : readPromptOptions(params);
    const chosen = await place.chooseAipModel(options);
    const filled: AgentDefinition = {
      ...rest,
      ...(chosen !== undefined && { model: chosen.model }),
    };
    const none = { problems: wrong, isCode: false };
    const found = wrong.length > 0 ? none : await findAgentProblems(placed, place);
    const problems = found.problems
      .filter(isBlocking)
      .map((problem) => describeProblem(problem, path));
    // What the user asks for is not what the file asks for.
    if (model === undefined) problems.push(...(await problemsOf(() => place.checkModel(filled))));
    if (problems.length === 0) {
      const isCode = found.isCode && chosen === undefined;
      const ready = { ...filled, prompt: { params, instruction, isCode } };
      return {
        definition: ready,
        task: instruction || `Run ${name}.`,
        ...(model !== undefined && chosen !== undefined && { model: chosen.model }),
      };
    }
    const lines = problems.map((problem) => `\n- ${problem}`).join("");
    const message = `The pipeline ${name} cannot be run; nothing was started:${lines}`;
    throw new CadreError("definition-invalid", message, { details: { problems } });
  };
}

/** The place in the prompt file says nothing to a caller who gave parameters; that in an agent's own file does. */
function describeProblem(problem: Diagnostic, prompt: string): string {
  const { path, message, fix } = problem;
  if (path !== prompt) return formatDiagnostic(problem);
  return fix === null ? message : `${message} ${fix}`;
}

async function problemsOf(work: () => unknown): Promise<string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (error instanceof CadreError) return [error.message];
    throw error;
  }
}
