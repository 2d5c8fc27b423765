import { existsSync } from "node:fs";
import type { Cadre } from "../cadre.ts";
import type { RunHandle } from "../run-handle.ts";
import type { SpawnOptions } from "../spawn-options.ts";
import type { Budget } from "../../run/budget.ts";
import type { RunResult } from "../../run/result.ts";
import { CadreError } from "../../errors.ts";
import type { EvalBudget } from "./eval-budget.ts";
import type { Recordings } from "./eval-record.ts";
import { readTrialIdentity } from "./trial-plan.ts";

/** A run that an eval started before it was continued. */
export interface EarlierEvalRun {
  id: string;
  hasEnded: boolean;
}

/** The context that the trials of an eval share. */
export interface EvalContext {
  id: string;
  /** The folder of the temporary workspaces, absolute. */
  folder: string;
  /**
   * The eval's runs from before it was continued, by what {@link readTrialIdentity} reads from their labels. Without cancelled ones,
   * which start over.
   */
  earlier: ReadonlyMap<string, EarlierEvalRun>;
  /** Returns the folder that contains every file that a case of this eval file may copy; `undefined` = any folder may. */
  folderToCopy: (path: string) => string | undefined;
  evalBudget?: EvalBudget;
  signal: AbortSignal;
  environment: Readonly<Record<string, string | undefined>>;
  recordings?: Recordings;
  /** The reference of the default model. */
  defaultModel: string | undefined;
}

/** A run of an eval, executed now or earlier. */
export interface EvalRun {
  result: RunResult;
  handle: RunHandle;
}

/**
 * Returns the run with the label of `request`. A run that has ended is not executed again, an unfinished one continues, and a
 * cancelled one starts over.
 *
 * @throws CadreError when it cannot be started or continued, and `invalid-argument` when the budget of the eval is used up.
 */
export async function runOnce(
  cadre: Cadre,
  context: EvalContext,
  request: SpawnOptions & { label: string; model?: string },
): Promise<EvalRun> {
  const earlier = findEarlier(context, request.label);
  if (earlier !== undefined) {
    const handle = await cadre.find(earlier.id);
    if (earlier.hasEnded) return { result: await handle.result(), handle };
    // The user named the models and recordings of this eval, or trusts the files that do.
    const { model } = request;
    const models = model === undefined ? [] : [await cadre.resolveModel(model)];
    await cadre.resume(earlier.id, { models });
    return { result: await cancelOnAbort(handle, context.signal), handle };
  }
  return await runAnew(cadre, context, request);
}

/** Returns the run with this label that the eval started before it was continued. */
export function findEarlier(
  { earlier }: Pick<EvalContext, "earlier">,
  label: string,
): EarlierEvalRun | undefined {
  return earlier.get(readTrialIdentity(label) ?? "");
}

async function runAnew(
  cadre: Cadre,
  { evalBudget, signal }: EvalContext,
  request: SpawnOptions,
): Promise<EvalRun> {
  const budget = evalBudget?.take();
  if (budget === null) {
    const message = "The budget of the eval is used up. Continue with a larger --budget.";
    throw new CadreError("invalid-argument", message);
  }
  let result: RunResult | undefined;
  try {
    const limits: { budget?: Budget } = budget === undefined ? {} : { budget };
    const handle = await cadre.spawn({ ...request, ...limits, signal });
    result = await handle.result();
    return { result, handle };
  } finally {
    if (budget !== undefined) evalBudget?.settle(budget, result);
  }
}

async function cancelOnAbort(handle: RunHandle, signal: AbortSignal): Promise<RunResult> {
  const cancel = (): void => void handle.cancel("the eval was ended").catch(() => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await handle.result();
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/**
 * Returns the model of a run: the given or default one, or its recording in the file `name`.
 *
 * @throws CadreError `model-unavailable` when that recording does not exist, and as {@link targetOf} does.
 */
export function modelFor(
  context: Pick<EvalContext, "recordings" | "defaultModel">,
  model: string | undefined,
  name: string,
): string | undefined {
  const { recordings } = context;
  if (recordings?.mode === "replay") return `replay:${requireRecording(recordings, name)}`;
  const target = targetOf(context, model);
  return recordings === undefined ? target : `record:${recordingPath(recordings, name)}=${target}`;
}

/** Returns the file of a recording, absolute. */
export function recordingPath({ folder }: Recordings, name: string): string {
  return `${folder}/${name}.ndjson`;
}

/**
 * Returns the file of a recording that exists.
 *
 * @throws CadreError `model-unavailable` when it does not.
 */
export function requireRecording(recordings: Recordings, name: string): string {
  const file = recordingPath(recordings, name);
  if (existsSync(file)) return file;
  const message = `Expected a recording at ${file}, but nothing is there. Make it with the same model and \`--record ${recordings.folder}\`.`;
  throw new CadreError("model-unavailable", message);
}

/**
 * Returns the model that a run asks, where none is replayed: the given one, or the default one, which a recording must name.
 *
 * @throws CadreError `invalid-argument` when there is no model to record.
 */
export function targetOf(
  { recordings, defaultModel }: Pick<EvalContext, "recordings" | "defaultModel">,
  model: string | undefined,
): string | undefined {
  if (recordings === undefined || model !== undefined) return model;
  if (defaultModel !== undefined) return defaultModel;
  const message =
    "Expected a model to record. Name one with --model, or set `model` in the configuration.";
  throw new CadreError("invalid-argument", message);
}
