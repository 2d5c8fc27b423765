import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { type AgentDefinition, needsModel } from "../../agent/definition/agent.ts";
import { nameRunner } from "../../agent/fields/runner.ts";
import { CadreError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { modelsOf } from "../../run/fallback/model-change.ts";
import type { RunSpec } from "../../run/run.ts";
import type { Assignment } from "../assignment.ts";

/** The known models. */
export interface ModelSource {
  /** See `Models.resolve`. */
  resolveModel: (reference: string, near?: string, family?: string) => Promise<Model>;
  /** Reports whether the program passed a model as an object. */
  isGivenModel: (reference: string, family: string) => boolean;
  resolveDefaultModel: () => Promise<Model>;
  /** The fallbacks of runs without their own. */
  fallbacks?: readonly string[] | undefined;
  /** Reports whether the folder of a path is trusted. */
  isTrusted: (path: string) => boolean;
}

/** The models of a run, and warnings about them. */
export type ChosenModel = Pick<
  RunSpec,
  "model" | "fallbacks" | "fallbackModel" | "givenModels" | "warnings"
>;

/** The request's fields for models. */
type Asked = Pick<Assignment, "model" | "modelNear" | "fallbacks">;

/**
 * Chooses the requested model, otherwise the definition's, otherwise that of `parent`. If it is unavailable, the first available
 * fallback replaces it, with a warning. Without fallbacks, a sub-agent whose definition names an unavailable model uses its
 * parent's, with a warning.
 *
 * @throws CadreError `model-unavailable` or `not-trusted` when the requested or default model is unavailable, or when the
 * definition's is and the parent has none. The default never replaces a named model, and the parent's model never replaces a
 * prompt file's.
 */
export async function chooseModel(
  all: ModelSource,
  definition: AgentDefinition,
  asked: Asked,
  { parent, family }: { parent: Pick<RunSpec, "model" | "fallbacks"> | undefined; family: string },
): Promise<ChosenModel> {
  const source: ModelSource = {
    ...all,
    resolveModel: (reference, near) => all.resolveModel(reference, near, family),
  };
  const chosen = await chooseModels(source, definition, asked, parent);
  const givenModels = modelsOf(chosen).filter((one) => all.isGivenModel(one, family));
  return givenModels.length === 0 ? chosen : { ...chosen, givenModels };
}

async function chooseModels(
  source: ModelSource,
  definition: AgentDefinition,
  asked: Asked,
  parent: Pick<RunSpec, "model" | "fallbacks"> | undefined,
): Promise<ChosenModel> {
  if (definition.runner !== undefined) return ofRunner(definition, asked.model);
  const { fallbacks, warnings } = await chooseFallbacks(source, definition, { asked, parent });
  const [first, ...rest] = fallbacks ?? [];
  const inherited = parent?.model ?? null;
  try {
    const stopgap = first === undefined ? inherited : null;
    const chosen = await chooseFirst(source, definition, asked, { inherited, stopgap });
    const others = fallbacks?.filter((one) => one !== chosen.model);
    return {
      ...chosen,
      ...omitUndefined({ fallbacks: others }),
      warnings: [...chosen.warnings, ...warnings],
    };
  } catch (error) {
    if (!isUnavailable(error) || first === undefined) throw error;
    const warning = `${withStop(error.message)} It continues with ${first}.`;
    return { model: first, fallbacks: rest, fallbackModel: null, warnings: [warning, ...warnings] };
  }
}

/** Chooses the model to ask first. `stopgap` replaces the definition's model if that is unavailable. */
async function chooseFirst(
  source: ModelSource,
  definition: AgentDefinition,
  { model: asked, modelNear }: Asked,
  { inherited, stopgap }: { inherited: string | null; stopgap: string | null },
): Promise<Omit<ChosenModel, "fallbacks">> {
  const resolve = async (reference: string, near?: string): Promise<string> =>
    (await source.resolveModel(reference, near)).id;
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
    if (stopgap === null || agentKindOf(definition.source).requiresOwnModel) {
      const { code, details } = error;
      throw new CadreError(code, message, { details, cause: error });
    }
    const warning = `${message} It ran with its parent's instead: ${stopgap}.`;
    return { model: stopgap, fallbackModel: null, warnings: [warning] };
  }
}

/**
 * Chooses the requested fallbacks, otherwise the definition's, the parent's or the configured ones. Omits unavailable ones with a
 * warning. Returns `undefined` where none are specified.
 */
async function chooseFallbacks(
  source: ModelSource,
  definition: AgentDefinition,
  { asked, parent }: { asked: Asked; parent: Pick<RunSpec, "fallbacks"> | undefined },
): Promise<{ fallbacks: string[] | undefined; warnings: string[] }> {
  const own = asked.fallbacks === undefined ? definition.fallbacks : undefined;
  const references = asked.fallbacks ?? own ?? parent?.fallbacks ?? source.fallbacks;
  if (references === undefined) return { fallbacks: undefined, warnings: [] };
  const fallbacks = new Set<string>();
  const warnings: string[] = [];
  for (const reference of references) {
    try {
      if (own !== undefined) checkFileModel(source, { ...definition, model: reference });
      fallbacks.add((await source.resolveModel(reference)).id);
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      warnings.push(`The fallback ${reference} cannot be used: ${error.message}`);
    }
  }
  return { fallbacks: [...fallbacks], warnings };
}

function isUnavailable(error: unknown): error is CadreError {
  return error instanceof CadreError && error.code === "model-unavailable";
}

function withStop(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

/** Returns the warning about a definition's unavailable model. */
export function describeUnusableModel(
  { name, model }: Pick<AgentDefinition, "name" | "model">,
  { message }: CadreError,
): string {
  return `The model \`${model}\` of agent ${name} cannot be used: ${message}`;
}

/** Returns no model for an agent in a runner, because the runner has its own, with a warning if a model was requested. */
function ofRunner({ name, model, runner = "" }: AgentDefinition, asked = model): ChosenModel {
  const warning = `Agent ${name} runs in ${nameRunner(runner)}, which has its own model: ${asked} was not used. Choose the model there, for example with an argument of the command.`;
  return { model: null, fallbackModel: null, warnings: asked === undefined ? [] : [warning] };
}

/**
 * Reports whether a model reads or writes a file. No permission covers such models, so neither models nor scripts may choose one.
 */
export function isFileModel(reference: string): boolean {
  return /^\s*(?:record|replay|scripted):/.test(reference);
}

/** @throws CadreError `not-trusted` for a model that an agent's file must not name. */
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
