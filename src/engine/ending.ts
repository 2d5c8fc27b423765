import { CadreError } from "../errors.ts";
import { readOverview } from "../registry/figures/read-overviews.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunResult } from "../run/result.ts";
import type { Conclusion } from "./session.ts";
import { stopOf } from "./stop.ts";
import { toFailure } from "./to-failure.ts";

/** How a run ends, before what it took is added up. */
export type Ending = Pick<RunResult, "status" | "text" | "output" | "failure">;

/** Whether `error` means that nothing can be recorded any more, so that no run can end. */
export function isRegistryFailure(error: unknown): boolean {
  return (
    error instanceof CadreError &&
    (error.code === "registry-unavailable" || error.code === "lease-lost")
  );
}

/** The ending of a run that was stopped through `signal` or threw `error`; it keeps what it `said`. */
export function toEnding(error: unknown, signal: AbortSignal, said: Conclusion): Ending {
  const stop = stopOf(signal);
  if (stop !== undefined) return { status: stop.status, ...said, failure: stop.failure };
  return { status: "failed", ...said, failure: toFailure(error) };
}

/**
 * Records the terminal event of a run and returns its result once that is durable. `durationMs` is that of a run which was
 * executed here; of another one it is what its journal has.
 */
export async function endRun(
  { registry }: { registry: Registry },
  { durationMs, ...ending }: Ending & { warnings: readonly string[]; durationMs?: number },
  runId: string,
): Promise<RunResult> {
  const run = await registry.run(runId);
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  const totalMs = durationMs ?? run.elapsedMs ?? 0;
  const { runs, turns, toolCalls, usage, cost, own } = await readOverview(registry, run);
  const figures = { runs, turns, toolCalls, usage, cost, own };
  const result: RunResult = { runId, ...ending, ...figures, durationMs: totalMs };
  registry.append(runId, { type: "run-finished", result });
  await registry.flushed();
  return result;
}
