import { CadreError } from "../../errors.ts";
import { readOverview } from "../../registry/read-overviews.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { Run } from "../../run/run.ts";
import type { Conclusion } from "../run-context/run-context.ts";
import { stopOf } from "../run-context/stop.ts";
import { toFailure } from "../run-failed.ts";
import { readRecordedWarnings, warningTypes } from "./recorded-warnings.ts";

/** How a run ended, before its figures are added up. */
export type Ending = Pick<RecordedResult, "status" | "text" | "output" | "failure">;

/** Reports whether `error` is a failure of the registry. No run can end after one, because nothing can be recorded. */
export function isRegistryFailure(error: unknown): boolean {
  return (
    error instanceof CadreError &&
    (error.code === "registry-unavailable" || error.code === "lease-lost")
  );
}

/**
 * The ending of a run that was stopped through `signal` or threw `error`. Keeps the text in `said`, unless it is only the white
 * space with which many replies begin.
 */
export function toEnding(error: unknown, signal: AbortSignal, conclusion: Conclusion): Ending {
  const stop = stopOf(signal);
  const kept = { ...conclusion, text: conclusion.text.trim() === "" ? "" : conclusion.text };
  if (stop !== undefined) return { status: stop.status, ...kept, failure: stop.failure };
  return { status: "failed", ...kept, failure: toFailure(error) };
}

/**
 * Records the terminal event of a run and returns its result once the event is durable. `here` is given for a run that was
 * executed here; the journal has its values for others.
 */
export async function endRun(
  { registry }: { registry: Registry },
  { here, ...ending }: Ending & { here?: Pick<RecordedResult, "warnings" | "durationMs"> },
  runId: string,
): Promise<RecordedResult> {
  const run = await registry.run(runId);
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  const { durationMs, warnings } = here ?? (await readEarlier(registry, run));
  const { runs, turns, toolCalls, usage, cost, own } = await readOverview(registry, run);
  const figures = { runs, turns, toolCalls, usage, cost, own };
  const result: RecordedResult = { runId, ...ending, ...figures, durationMs, warnings };
  registry.append(runId, { type: "run-finished", result });
  await registry.flushed();
  return result;
}

/** Returns what earlier processes recorded for the result of a run. */
async function readEarlier(
  registry: Registry,
  run: Run,
): Promise<Pick<RecordedResult, "warnings" | "durationMs">> {
  const { warnings = [] } = (await registry.spec(run.id)) ?? {};
  const recorded = await registry.events(run.id, { types: warningTypes });
  return {
    durationMs: run.elapsedMs ?? 0,
    warnings: [...new Set([...warnings, ...readRecordedWarnings(run, recorded)])],
  };
}
