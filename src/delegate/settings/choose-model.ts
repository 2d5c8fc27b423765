import { type AgentDefinition, needsModel } from "../../agent/definition/agent.ts";
import { nameRunner } from "../../agent/fields/runner.ts";
import { CadreError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import type { RunSpec } from "../../run/run.ts";
import type { Assignment } from "../assignment.ts";

/** The known models. */
export interface ModelSource {
  /** See `Models.resolve`. */
  resolveModel: (reference: string, near?: string) => Promise<Model>;
  resolveDefaultModel: () => Promise<Model>;
  /** Reports whether the folder of a path is trusted. */
  isTrusted: (path: string) => boolean;
}

/** The model of a run, and warnings about it. */
export type ChosenModel = Pick<RunSpec, "model" | "fallbackModel" | "warnings">;

/**
 * Chooses the requested model, else the definition's, else `inherited`, the parent's. A sub-agent whose definition names an
 * unavailable model uses its parent's, with a warning.
 *
 * @throws CadreError `model-unavailable` or `not-trusted` when the requested or default model is unavailable, or the definition's
 * and there is no parent's. The default never replaces a named model, nor does the parent's replace that of a prompt file.
 */
export async function chooseModel(
  source: ModelSource,
  definition: AgentDefinition,
  { model: asked, modelNear }: Pick<Assignment, "model" | "modelNear">,
  inherited: string | null,
): Promise<ChosenModel> {
  const resolve = async (reference: string, near?: string): Promise<string> =>
    (await source.resolveModel(reference, near)).id;
  if (definition.runner !== undefined) return ofRunner(definition, asked);
  if (asked !== undefined) {
    return { model: await resolve(asked, modelNear), fallbackModel: null, warnings: [] };
  }
  if (!needsModel(definition)) return { model: inherited, fallbackModel: null, warnings: [] };
  if (definition.model === undefined) {
    const model = inherited ?? (await source.resolveDefaultModel()).id;
    return { model, fallbackModel: null, warnings: [] };
  }
  try {
    checkFileModel(source, definition);
    return { model: await resolve(definition.model), fallbackModel: inherited, warnings: [] };
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    const message = describeUnusableModel(definition, error);
    if (inherited === null || definition.source.format === "prompt") {
      const { code, details } = error;
      throw new CadreError(code, message, { details, cause: error });
    }
    const warning = `${message} It ran with its parent's instead: ${inherited}.`;
    return { model: inherited, fallbackModel: null, warnings: [warning] };
  }
}

/** The warning about a definition's model that is unavailable. */
export function describeUnusableModel(
  { name, model }: Pick<AgentDefinition, "name" | "model">,
  { message }: CadreError,
): string {
  return `The model \`${model}\` of agent ${name} cannot be used: ${message}`;
}

/** A runner has a model of its own. */
function ofRunner({ name, model, runner = "" }: AgentDefinition, asked = model): ChosenModel {
  const warning = `Agent ${name} runs in ${nameRunner(runner)}, which has a model of its own: ${asked} was not used. Choose the model there, such as by an argument of the command.`;
  return { model: null, fallbackModel: null, warnings: asked === undefined ? [] : [warning] };
}

/** Reports whether a model reads or writes a file. No permission covers that, so neither models nor scripts may choose one. */
export function isFileModel(reference: string): boolean {
  return /^\s*(?:record|replay|scripted):/.test(reference);
}

/** @throws CadreError `not-trusted` for a model that the file of an agent must not name. */
export function checkFileModel(
  { isTrusted }: Pick<ModelSource, "isTrusted">,
  { model = "", source }: Pick<AgentDefinition, "model" | "source">,
): void {
  const isStrange = source.scope !== "user" && source.path !== null && !isTrusted(source.path);
  if (!isStrange || !isFileModel(model)) return;
  throw new CadreError(
    "not-trusted",
    "It names a file, and the folder of the agent is not trusted. Read it, then type `cadre trust` there.",
  );
}
