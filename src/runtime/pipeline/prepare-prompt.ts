import { CadreError } from "../../errors.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { AssignmentSource } from "../../delegate/request/to-assignment.ts";
import { checkParameters } from "../../pipeline/prompt-file/check-parameters.ts";
import { createPositionFinder } from "../../source/position.ts";
import { type Diagnostic, formatDiagnostic } from "../../source/diagnostic.ts";
import { readPromptOptions } from "../aip/aip-model-choice.ts";
import { type AgentLookup, findAgentProblems, isBlocking } from "./find-agent-problems.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Options of {@link createPromptPreparation}. */
export interface PromptPreparationOptions
  extends AgentLookup, Pick<AssignmentSource, "chooseAipModel"> {
  cwd: string;
}

/**
 * Creates the function that prepares a pipeline from a prompt file and a request. It requires that everything the pipeline needs
 * exists.
 */
export function createPromptPreparation(
  preparation: PromptPreparationOptions,
): AssignmentSource["preparePrompt"] {
  return async (definition, { task, parameters, model }) => {
    const { prompt = { params: {}, instruction: "" }, source, name } = definition;
    const params = {
      ...prompt.params,
      ...parameters,
      ...omitUndefined({ model }),
    };
    const path = source.path ?? preparation.cwd;
    const parts = [prompt.instruction, task ?? ""].filter((part) => part.trim() !== "");
    const instruction = parts.join("\n\n");
    const { model: _, ...rest } = definition;
    const placed = {
      path,
      params,
      positionOf: createPositionFinder(new Map(), { line: 1, column: 1 }),
    };
    const wrong = checkParameters(placed).filter(({ severity }) => severity === "error");
    const options = wrong.length > 0 ? {} : readPromptOptions(params);
    const chosen = await preparation.chooseAipModel(options);
    const filled: AgentDefinition = {
      ...rest,
      ...omitUndefined({ model: chosen?.model }),
    };
    const none = { problems: wrong, isCode: false };
    const found = wrong.length > 0 ? none : await findAgentProblems(placed, preparation);
    const problems = found.problems
      .filter(isBlocking)
      .map((problem) => describeProblem(problem, path));
    // The user's parameters replace the file's.
    if (model === undefined)
      problems.push(...(await problemsOf(() => preparation.checkModel(filled))));
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

/**
 * Describes a problem. A position in the prompt file does not help a caller who gave the parameters; a position in an agent's
 * file does.
 */
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
