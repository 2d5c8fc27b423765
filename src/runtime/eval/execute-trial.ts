import { join } from "node:path";
import { gradeTrial, type TrialRecord } from "../../eval/grade.ts";
import type { Trial } from "../../eval/eval-report.ts";
import type { FailureCode } from "../../run/failure.ts";
import { addCost } from "../../run/usage.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Cadre } from "../cadre.ts";
import { checkTrial } from "./check-trial.ts";
import { type EvalContext, type EvalRun, findEarlier, modelFor, runOnce } from "./eval-context.ts";
import { labelOf, type PlannedTrial } from "./trial-plan.ts";
import { prepareWorkspace } from "./workspace.ts";
import { errorMessage } from "../../error-message.ts";

/** Failures that say nothing about the agent under test. */
const outsideFailures: ReadonlySet<string> = new Set<FailureCode>([
  "agent-not-found",
  "definition-invalid",
  "input-invalid",
  "model-unavailable",
  "model-error",
  "tool-unavailable",
  "cancelled",
  "stalled",
  "interrupted",
  "internal",
]);

/** Executes and grades a trial. A problem that prevents it becomes its outcome `error`. */
export async function executeTrial(
  cadre: Cadre,
  context: EvalContext,
  plan: PlannedTrial,
): Promise<Trial> {
  const { one, model, number } = plan;
  const trial = { case: one.name, model, number, judgeCost: 0 };
  try {
    const label = labelOf(context.id, plan, "trial");
    const isNew = findEarlier(context, label) === undefined;
    const workspace = await prepareWorkspace(one, join(context.folder, plan.key), {
      isNew,
      within: context.folderToCopy(one.path),
    });
    const { agent, task, timeoutSeconds } = one;
    const asked = modelFor(context, model ?? undefined, plan.key);
    const run = await runOnce(cadre, context, {
      agent,
      task,
      label,
      cwd: workspace,
      ...omitUndefined({ timeoutSeconds, model: asked }),
    });
    const record = await readRecord(cadre, run);
    return await judge({ cadre, context, plan, workspace }, { ...trial, record });
  } catch (error) {
    const reasons = [errorMessage(error)];
    return { ...trial, outcome: "error", reasons };
  }
}

async function judge(
  options: Parameters<typeof checkTrial>[0],
  trial: Omit<Trial, "outcome" | "reasons"> & { record: TrialRecord },
): Promise<Trial> {
  const { context, plan } = options;
  const { record } = trial;
  const { failure } = record;
  const isOutside =
    failure !== undefined &&
    (outsideFailures.has(failure.code) ||
      (failure.code === "budget-exceeded" && context.evalBudget !== undefined));
  if (isOutside) {
    return { ...trial, outcome: "error", reasons: [`${failure.code}: ${failure.message}`] };
  }
  const reasons = gradeTrial(plan.one, record);
  let hasError = false;
  let judgeCost: number | null = 0;
  for (const [index, check] of (plan.one.checks ?? []).entries()) {
    const end = await checkTrial(options, check, index, record);
    judgeCost = addCost(judgeCost, end.cost);
    if (end.outcome !== "pass") reasons.push(end.reason);
    hasError ||= end.outcome === "error";
  }
  const outcome = hasError ? "error" : reasons.length > 0 ? "fail" : "pass";
  return { ...trial, judgeCost, outcome, reasons };
}

/** Reads the actions of a run from the journal. */
async function readRecord(cadre: Cadre, { result, handle }: EvalRun): Promise<TrialRecord> {
  const tools: string[] = [];
  for await (const part of handle.stream()) {
    if (part.type === "tool-call" && part.runId === handle.id) tools.push(part.tool);
  }
  const family = await cadre.tree(handle.id);
  const { status, text, output, failure, cost, usage, turns, durationMs } = result;
  return {
    runId: handle.id,
    status,
    text,
    ...omitUndefined({ output }),
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    delegations: family
      .filter(({ parentId }) => parentId === handle.id)
      .map(({ agent, task }) => ({ agent, task })),
    tools,
    cost,
    tokens: usage.inputTokens + usage.outputTokens,
    turns,
    durationMs,
  };
}
