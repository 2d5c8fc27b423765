import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { type AgentDefinition, needsModel } from "../../agent/definition/agent.ts";
import { isFileModel } from "../../delegate/settings/choose-model.ts";
import { CadreError } from "../../errors.ts";
import type { Cadre } from "../cadre.ts";
import { type EvalContext, findEarlier, targetOf } from "./eval-context.ts";
import { judgeStep, labelOf, type PlannedTrial } from "./trial-plan.ts";

/** A model that a run of the eval asks. */
interface WantedModel {
  /** `undefined` = the default model. */
  reference: string | undefined;
  fallbacks: readonly string[];
}

/**
 * Requires that the models of trials and judges, or their fallbacks, can be used, so that an eval with a misspelt model or without
 * a key fails once and not in each trial. A replay asks none, and neither does a run that has ended.
 *
 * @throws CadreError `model-unavailable`, or `invalid-argument` when there is no model to record.
 */
export async function requireModels(
  cadre: Pick<Cadre, "resolveModel" | "configuration">,
  plans: readonly PlannedTrial[],
  { agents, ...context }: Omit<EvalContext, "signal"> & { agents: readonly AgentDefinition[] },
): Promise<void> {
  const { recordings } = context;
  if (recordings?.mode === "replay") return;
  const { fallbacks: configured = [] } = cadre.configuration.config;
  function modelOfTrial({ one, model }: PlannedTrial): WantedModel[] {
    const agent = agents.find(({ name }) => name === one.agent);
    const fallbacks = agent?.fallbacks ?? configured;
    if (model !== null) return [{ reference: model, fallbacks }];
    if (agent === undefined || decidesItself(agent)) return [];
    // A recording replaces the agent's own model.
    return [{ reference: recordings === undefined ? agent.model : undefined, fallbacks }];
  }
  const hasEnded = (plan: PlannedTrial, step: string): boolean =>
    findEarlier(context, labelOf(context.id, plan, step))?.hasEnded === true;
  const wanted = plans.flatMap((plan) => {
    const { one, model } = plan;
    const judges = (one.checks ?? []).flatMap((check, index) =>
      "judge" in check && !hasEnded(plan, judgeStep(index)) ? [check] : [],
    );
    return [
      ...(hasEnded(plan, "trial") ? [] : modelOfTrial(plan)),
      ...judges.map((judge) => ({
        reference: judge.model ?? one.judgeModel ?? model ?? undefined,
        fallbacks: configured,
      })),
    ];
  });
  // The trials of a case differ in their numbers only.
  const distinct = new Map(
    wanted.map(({ reference, fallbacks }) => {
      const target = targetOf(context, reference);
      return [JSON.stringify([target, fallbacks]), { reference: target, fallbacks }];
    }),
  );
  for (const one of distinct.values()) await requireModel(cadre, one);
}

/** Requires what the start of a run requires: the model, or a fallback that replaces it. */
async function requireModel(
  cadre: Pick<Cadre, "resolveModel">,
  { reference, fallbacks }: WantedModel,
): Promise<void> {
  const problem = await findProblem(cadre, reference);
  if (problem === undefined) return;
  for (const fallback of fallbacks) {
    if ((await findProblem(cadre, fallback)) === undefined) return;
  }
  throw problem;
}

async function findProblem(
  cadre: Pick<Cadre, "resolveModel">,
  reference: string | undefined,
): Promise<CadreError | undefined> {
  try {
    await cadre.resolveModel(reference);
    return undefined;
  } catch (error) {
    if (error instanceof CadreError && error.code === "model-unavailable") return error;
    throw error;
  }
}

/** Reports whether only a run of the agent shows which model it asks, if any, and whether it may. */
function decidesItself({ runner, model, source, ...agent }: AgentDefinition): boolean {
  if (runner !== undefined || !needsModel({ ...agent, source })) return true;
  return agentKindOf(source).requiresOwnModel || (model !== undefined && isFileModel(model));
}
