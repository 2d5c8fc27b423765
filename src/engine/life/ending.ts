import { CadreError } from "../../errors.ts";
import { readOverview } from "../../registry/read-overviews.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { Conclusion } from "../run-context/run-context.ts";
import { stopOf } from "../run-context/stop.ts";
import { toFailure } from "../run-failed.ts";

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
 * Records the terminal event of a run and returns its result once the event is durable. `durationMs` is given for a run that was
 * executed here; the journal has it for others.
 */
export async function endRun(
  { registry }: { registry: Registry },
  { durationMs, ...ending }: Ending & { warnings: readonly string[]; durationMs?: number },
  runId: string,
): Promise<RecordedResult> {
  const run = await registry.run(runId);
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  const totalMs = durationMs ?? run.elapsedMs ?? 0;
  const { runs, turns, toolCalls, usage, cost, own } = await readOverview(registry, run);
  const figures = { runs, turns, toolCalls, usage, cost, own };
  const result: RecordedResult = { runId, ...ending, ...figures, durationMs: totalMs };
  registry.append(runId, { type: "run-finished", result });
  await registry.flushed();
  return result;
}
