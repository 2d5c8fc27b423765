import { isRegistryFailure } from "../../engine/life/ending.ts";
import { stopOf } from "../../engine/run-context/stop.ts";
import type { InternalContext } from "../../engine/program/internal-context.ts";
import type { PipelinePort } from "../../pipeline/sub-agent/port.ts";
import type { Failure } from "../../run/failure.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";

/** Matches a turn of a sub-agent, or the coder's work on a task. */
const isWork = (key: string): boolean => /^pipeline\/(?:task-\d+\/)?(?:\d+\/\d+|coder)$/.test(key);

/**
 * Creates the record of a pipeline's steps in the journal of its run. A retry reuses the steps that succeeded, so only the failed
 * steps and the ones after them are repeated.
 */
export async function createPipelineRecord(
  context: InternalContext,
): Promise<PipelinePort["record"]> {
  const { signal, isRecorded, record, warn } = context;
  const { from, values } = await readRetried(context);
  const done = [...values.keys()].filter(isWork);
  if (done.length > 0) {
    const what = `These steps were reused from the run ${from}, and not repeated: ${done.join(", ")}.`;
    warn(`${what} Start a new run of the prompt file to repeat everything.`);
  }
  return async <Value extends object>(
    key: string,
    work: () => Promise<Value | { failure: Failure }>,
  ): Promise<Value | { failure: Failure }> => {
    try {
      signal.throwIfAborted();
      const taken = values.get(key) as Value | undefined;
      const value = isRecorded(key) ? undefined : (taken ?? (await work()));
      if (value !== undefined && "failure" in value) return value;
      return await record(key, () => Promise.resolve(value as Value));
    } catch (error) {
      const stop = stopOf(signal);
      if (stop === undefined || isRegistryFailure(error)) throw error;
      // The pipeline ends with the results from before it was stopped.
      return { failure: stop.failure };
    }
  };
}

/**
 * Reads the steps to reuse from the retried run: turns and coders that succeeded, the prompts of those coders, and the list of
 * tasks if one of them had started.
 */
async function readRetried({
  registry,
  spec: { lineage },
}: InternalContext): Promise<{ from: string; values: ReadonlyMap<string, object> }> {
  if (lineage?.kind !== "retry") return { from: "", values: new Map() };
  const events = await registry.events(lineage.runId);
  const recorded = events.flatMap((event): [string, JsonValue][] =>
    event.type === "step-finished" ? [[event.key, event.value]] : [],
  );
  const done = new Set(recorded.map(([key]) => key).filter(isWork));
  const hasTask = [...done].some((key) => key.startsWith("pipeline/task-"));
  const holds = (key: string): boolean =>
    done.has(key) ||
    (key === "pipeline/tasks" && hasTask) ||
    (key.endsWith("/prompt") && done.has(key.replace(/prompt$/, "coder")));
  const values = recorded.flatMap(([key, value]): [string, object][] =>
    holds(key) && isRecord(value) ? [[key, value]] : [],
  );
  return { from: lineage.runId, values: new Map(values) };
}
