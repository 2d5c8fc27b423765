// Executes evals: each trial is a run, so that a killed eval continues where it stopped.

import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CadreError } from "../../errors.ts";
import { systemClock } from "../../clock.ts";
import { evalFolder } from "../../delegate/settings/choose-workspace.ts";
import type { LoadedCase } from "../../eval/eval-file.ts";
import { type EvalReport, reportEval, type Trial } from "../../eval/eval-report.ts";
import { realPathOf } from "../../source/file/real-path.ts";
import { isTerminal } from "../../run/run.ts";
import { createRunId } from "../../run/run-id.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Cadre, CadreOptions } from "../cadre.ts";
import { createCadre } from "../create/create-cadre.ts";
import { requireSafe } from "./require-safe.ts";
import type { EarlierEvalRun, EvalContext } from "./eval-context.ts";
import { type CompleteOptions, completeOptions } from "./complete-options.ts";
import { prepareRecordings } from "./prepare-recordings.ts";
import { requireModels } from "./require-models.ts";
import { executeTrial } from "./execute-trial.ts";
import { createEvalBudget } from "./eval-budget.ts";
import { beginRecord } from "./eval-record.ts";
import type { RunEvalsOptions } from "./run-evals-options.ts";
import { stopDelegations } from "./stopped-agents.ts";
import { labelOf, type PlannedTrial, planTrials, readTrialIdentity } from "./trial-plan.ts";

/**
 * Executes the trials of `cases` with `cadre`, and reports their results; `undefined` = the cases of the eval `resume`. A trial that
 * cannot be executed has the outcome `error`.
 * @throws CadreError `not-trusted` for commands or file models of a file in an untrusted folder, and for file models and recordings
 * that only the resumed eval names there; `invalid-argument` for recordings of agents that choose their models themselves, for other
 * recordings than those of the resumed eval, and for an unknown `resume`; `model-unavailable` for a model of a trial or judge.
 * Nothing is then executed.
 */
export async function runEvals(
  cadre: Cadre,
  cases: readonly LoadedCase[] | undefined,
  given: RunEvalsOptions,
): Promise<EvalReport> {
  const options = await completeOptions(cadre.stateFolder, cases, given);
  return await runCompletely(cadre, options);
}

/** Executes an eval whose cases and options are complete. */
async function runCompletely(cadre: Cadre, options: CompleteOptions): Promise<EvalReport> {
  const { cases } = options;
  const { concurrency = 4, leaving, models, repeat, budget, recordings } = options;
  const { agents } = await cadre.agents();
  requireSafe(cases, agents, options);
  const id = options.resume ?? createRunId(Date.now());
  const plans = planTrials(cases, omitUndefined({ models, repeat }));
  // Fewer trials have larger shares of the budget.
  const most = Math.min(concurrency, plans.length);
  const shared = await createEvalContext(cadre, { id, concurrency: most }, options);
  await requireModels(cadre, plans, { ...shared, agents });
  prepareRecordings(shared, plans);
  await mkdir(shared.folder, { recursive: true, mode: 0o700 });
  const settings = omitUndefined({ models, repeat, concurrency: options.concurrency, budget });
  const record = await beginRecord(cadre.stateFolder, {
    id,
    cases,
    trials: plans.length,
    settings,
    ...omitUndefined({ recordings }),
  });
  const signal = AbortSignal.any([
    record.endRequested,
    ...(options.signal ? [options.signal] : []),
  ]);
  const context: EvalContext = { ...shared, signal };
  options.onStart?.(id, plans.length);
  const stopping = await openStopping(plans, agents, { id, options });
  const isOver = (): boolean => signal.aborted || leaving?.aborted === true;
  leaving?.addEventListener("abort", () => void stopping?.close({ leaveRuns: true }), {
    once: true,
  });
  const trials = new Map<PlannedTrial, Trial>();
  const queue = [...plans];
  const work = async (): Promise<void> => {
    for (let plan = queue.shift(); plan !== undefined && !isOver(); plan = queue.shift()) {
      const chosen = plan.one.delegation === "stop" ? (stopping ?? cadre) : cadre;
      const trial = await executeTrial(chosen, context, plan);
      // An interrupted trial has no meaningful outcome.
      if (isOver() && trial.outcome === "error") return;
      trials.set(plan, trial);
      await record.addTrial(trial);
      options.onTrial?.(trial);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    await record.end(trials.size < plans.length);
    await stopping?.close();
  }
  const done = plans.flatMap((plan) => trials.get(plan) ?? []);
  const isInterrupted = done.length < plans.length;
  if (!isInterrupted) await rm(context.folder, { recursive: true, force: true });
  return reportEval(id, cases, done, isInterrupted);
}

async function createEvalContext(
  cadre: Cadre,
  { id, concurrency }: { id: string; concurrency: number },
  { resume, budget, recordings, cadreOptions, isTrusted }: RunEvalsOptions,
): Promise<Omit<EvalContext, "signal">> {
  const earlier =
    resume === undefined ? new Map<string, EarlierEvalRun>() : await listEarlier(cadre, id);
  const folder = join(evalFolder(cadre.stateFolder), id);
  const project = realPathOf(resolve(cadreOptions.cwd ?? "."));
  const evalBudget =
    budget === undefined
      ? undefined
      : createEvalBudget(budget, concurrency, () => systemClock.monotonic());
  return {
    id,
    folder,
    earlier,
    folderToCopy: (path) => (isTrusted(path) ? undefined : project),
    environment: cadreOptions.environment ?? process.env,
    defaultModel: defaultModelOf(cadre, cadreOptions),
    ...omitUndefined({ evalBudget, recordings }),
  };
}

function defaultModelOf(cadre: Cadre, { model }: CadreOptions): string | undefined {
  if (typeof model === "string") return model;
  return cadre.configuration.config.model;
}

/** Returns the runs of an eval that are not repeated, by the identities of their trials; the newest of several. */
async function listEarlier(cadre: Cadre, id: string): Promise<Map<string, EarlierEvalRun>> {
  const runs = await cadre.runs({ rootsOnly: true, limit: 1_000_000 });
  const own = runs.flatMap((run) => {
    const identity = readTrialIdentity(run.label);
    return identity?.startsWith(`eval ${id} `) === true ? [{ identity, run }] : [];
  });
  if (own.length === 0) {
    const message = `There is no eval ${id} in this project. The first line of its output has its id.`;
    throw new CadreError("invalid-argument", message);
  }
  const kept = own.filter(({ run }) => run.status !== "cancelled").toReversed();
  return new Map(
    kept.map(({ identity, run: { id: runId, status } }) => [
      identity,
      { id: runId, hasEnded: isTerminal(status) },
    ]),
  );
}

/** Opens the Cadre of trials whose sub-agents are not executed; `undefined` without such trials. */
async function openStopping(
  plans: readonly PlannedTrial[],
  agents: Parameters<typeof stopDelegations>[0],
  { id, options }: { id: string; options: RunEvalsOptions },
): Promise<Cadre | undefined> {
  const stopped = plans.filter(({ one }) => one.delegation === "stop");
  if (stopped.length === 0) return undefined;
  const byIdentity = new Map(
    stopped.map((plan) => [readTrialIdentity(labelOf(id, plan, "trial")), plan.one]),
  );
  const { cadreOptions } = options;
  let cadre: Cadre | undefined;
  const open = (): Cadre => {
    if (cadre === undefined) throw new Error("The eval has not begun.");
    return cadre;
  };
  const stop = stopDelegations(
    agents,
    stopped.map(({ one }) => one),
    open,
    (label) => byIdentity.get(readTrialIdentity(label)),
  );
  cadre = await createCadre({
    ...cadreOptions,
    engine: "local",
    ...stop,
    hooks: [...(stop.hooks ?? []), ...(cadreOptions.hooks ?? [])],
  });
  return cadre;
}
