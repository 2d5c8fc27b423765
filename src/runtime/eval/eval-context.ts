import type { Cadre } from "../cadre.ts";
import type { RunHandle } from "../run-handle.ts";
import type { SpawnOptions } from "../spawn-options.ts";
import type { Budget } from "../../run/budget.ts";
import type { RunResult } from "../../run/result.ts";
import { CadreError } from "../../errors.ts";
import type { EvalBudget } from "./eval-budget.ts";

/** The context that the trials of an eval share. */
export interface EvalContext {
  id: string;
  /** The folder of the temporary workspaces, absolute. */
  folder: string;
  /** The ids of the eval's runs so far, by their labels. */
  earlier: ReadonlyMap<string, string>;
  evalBudget?: EvalBudget;
  signal: AbortSignal;
  environment: Readonly<Record<string, string | undefined>>;
  /** The folder of recordings, and whether they are written. */
  recordings?: { folder: string; mode: "record" | "replay" };
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
  request: SpawnOptions & { label: string },
): Promise<EvalRun> {
  const earlier = context.earlier.get(request.label);
  if (earlier !== undefined) {
    const handle = await cadre.find(earlier);
    const { result } = await handle.state();
    if (result !== null && result.status !== "cancelled") return { result, handle };
    if (result === null) {
      await cadre.resume(earlier);
      return { result: await cancelOnAbort(handle, context.signal), handle };
    }
  }
  return await runAnew(cadre, context, request);
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

/** Returns the model of a run: the given or default one, or its recording in the file `name`. */
export function modelFor(
  { recordings, defaultModel }: EvalContext,
  model: string | null,
  name: string,
): string | undefined {
  if (recordings === undefined) return model ?? undefined;
  const file = `${recordings.folder}/${name}.ndjson`;
  if (recordings.mode === "replay") return `replay:${file}`;
  const target = model ?? defaultModel;
  if (target !== undefined) return `record:${file}=${target}`;
  const message =
    "Expected a model to record. Name one with --model, or set `model` in the configuration.";
  throw new CadreError("invalid-argument", message);
}
