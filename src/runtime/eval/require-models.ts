import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { type AgentDefinition, needsModel } from "../../agent/definition/agent.ts";
import { isFileModel } from "../../delegate/settings/choose-model.ts";
import type { Cadre } from "../cadre.ts";
import { type EvalContext, findEarlier, targetOf } from "./eval-context.ts";
import { judgeStep, labelOf, type PlannedTrial } from "./trial-plan.ts";

/**
 * Requires that the models of trials and judges can be used, so that an eval with a misspelt model or without a key fails once
 * and not in each trial. A replay asks none, and neither does a run that has ended.
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
  const { fallbacks } = cadre.configuration.config;
  function modelsOfTrial({ one, model }: PlannedTrial): (string | undefined)[] {
    if (model !== null) return [model];
    const agent = agents.find(({ name }) => name === one.agent);
    // A recording replaces the agent's own model.
    const named = recordings === undefined ? agent?.model : undefined;
    return agent === undefined || decidesItself(agent, fallbacks) ? [] : [named];
  }
  const hasEnded = (plan: PlannedTrial, step: string): boolean =>
    findEarlier(context, labelOf(context.id, plan, step))?.hasEnded === true;
  const references = plans.flatMap((plan) => {
    const { one, model } = plan;
    const judges = (one.checks ?? []).flatMap((check, index) =>
      "judge" in check && !hasEnded(plan, judgeStep(index)) ? [check] : [],
    );
    return [
      ...(hasEnded(plan, "trial") ? [] : modelsOfTrial(plan)),
      ...judges.map((judge) => judge.model ?? one.judgeModel ?? model ?? undefined),
    ];
  });
  const targets = references.map((reference) => targetOf(context, reference));
  for (const target of new Set(targets)) await cadre.resolveModel(target);
}

/** Reports whether only a run of the agent shows which model it asks, if any, and whether it may. */
function decidesItself(agent: AgentDefinition, configured: readonly string[] | undefined): boolean {
  const { runner, model, fallbacks = configured, source } = agent;
  if (runner !== undefined || !needsModel(agent) || fallbacks !== undefined) return true;
  return agentKindOf(source).requiresOwnModel || (model !== undefined && isFileModel(model));
}
