import { dirname } from "node:path";
import { CadreError } from "../errors.ts";
import type { AgentDefinition } from "../agent/agent.ts";
import { checkDefinition } from "../delegate/check-definition.ts";
import type { AssignmentSource } from "../delegate/to-assignment.ts";
import { checkParameters } from "../pipeline/check-parameters.ts";
import { normalizeEntries } from "../pipeline/entry.ts";
import { createPlaceFinder } from "../source/place.ts";
import { defaultCoder, type PipelineServices } from "./pipeline-port.ts";

/** What {@link createPromptPreparation} needs. */
export interface PreparationPlace extends Pick<PipelineServices, "findAgent" | "checkModel"> {
  cwd: string;
  isTrusted: (path: string) => boolean;
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
    const named = typeof params["model"] === "string" && params["model"] !== "";
    const filled: AgentDefinition = {
      ...rest,
      ...(named && { model: String(params["model"]) }),
      prompt: { params, instruction },
    };
    const placeOf = createPlaceFinder(new Map(), { line: 1, column: 1 });
    const wrong = checkParameters({ path, params, placeOf });
    const errors = wrong.filter(({ severity }) => severity === "error");
    const problems = errors.map(({ message }) => message);
    if (problems.length === 0) problems.push(...(await findMissing(filled, place)));
    // What the user asks for is not what the file asks for.
    if (model === undefined) problems.push(...(await problemsOf(() => place.checkModel(filled))));
    if (problems.length === 0) return { definition: filled, task: instruction || `Run ${name}.` };
    const lines = problems.map((problem) => `\n- ${problem}`).join("");
    const message = `The pipeline ${name} cannot be run; nothing was started:${lines}`;
    throw new CadreError("definition-invalid", message, { details: { problems } });
  };
}

/** Why agents cannot be had that the file itself names, one line each. */
async function findMissing(
  { prompt, source }: AgentDefinition,
  place: PreparationPlace,
): Promise<string[]> {
  const { params = {} } = prompt ?? {};
  const folder = source.path === null ? place.cwd : dirname(source.path);
  const { configs } = normalizeEntries(params["sub_agents"]);
  const names = configs.filter(({ enabled }) => enabled).map(({ name }) => name);
  const { agent } = params;
  names.push(typeof agent === "string" ? agent : defaultCoder);
  const problems: string[] = [];
  for (const name of new Set(names)) {
    const look = async (): Promise<void> =>
      checkDefinition(await place.findAgent(name, folder), place.isTrusted);
    problems.push(...(await problemsOf(look)));
  }
  return problems;
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
