import { CadreError } from "../../errors.ts";
import type { RunResult } from "../../run/result.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import { orAbort } from "../../source/or-abort.ts";
import { RunFailed } from "../run-failed.ts";
import type { RunEnds } from "./run-ends.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/**
 * Waits until every dependency in `spec` has ended. Rejects when `signal` aborts. Calls `onGone` once for each dependency whose
 * process is gone and which therefore does not end.
 *
 * @throws RunFailed `dependency-failed` as soon as a dependency did not succeed, unless the run is set to start anyway;
 * `dependency-not-found` when one is no longer in the registry.
 */
export async function settleDependencies(
  ends: RunEnds,
  { dependsOn, onDependencyError }: Pick<RunSpec, "dependsOn" | "onDependencyError">,
  signal: AbortSignal,
  onGone: (run: Run) => void = () => undefined,
): Promise<void> {
  const waits = dependsOn.map((runId) => ({ runId, ...ends.listen(runId, callOnce(onGone)) }));
  const check = async ({ runId, ended }: (typeof waits)[number]): Promise<void> => {
    const result = await ended.catch((error: unknown) => {
      throw isNotFound(error) ? notFound(runId) : error;
    });
    if (onDependencyError !== "run" && result.failure !== undefined) throw failed(result);
  };
  try {
    await orAbort(Promise.all(waits.map(check)), signal);
  } finally {
    for (const { leave } of waits) leave();
  }
}

function callOnce<Value>(action: (value: Value) => void): (value: Value) => void {
  let isDone = false;
  return (value) => {
    if (!isDone) action(value);
    isDone = true;
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof CadreError && error.code === "run-not-found";
}

function failed({ runId, status, failure }: RunResult): RunFailed {
  return new RunFailed({
    code: "dependency-failed",
    message: `It depends on run ${runId}, which ended ${status}: ${failure?.message ?? "no reason was given"}`,
    details: { runId, status },
    ...omitUndefined({ cause: failure }),
  });
}

function notFound(runId: string): RunFailed {
  const message = `It depends on run ${runId}, which is not, or no longer, in the registry.`;
  return new RunFailed({ code: "dependency-not-found", message, details: { runId } });
}
