import type { Session } from "../../engine/session.ts";
import type { PipelinePort } from "../../pipeline/port.ts";
import type { Failure } from "../../run/failure.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";

/** A turn of a sub-agent, or the coder's work on a task. */
const isWork = (key: string): boolean => /^pipeline\/(?:task-\d+\/)?(?:\d+\/\d+|coder)$/.test(key);

/**
 * Keeps the steps of a pipeline in the journal of its run. A run that retries another takes over what succeeded there, so that only
 * what failed and what comes after it is done again.
 */
export async function createPipelineRecord(session: Session): Promise<PipelinePort["record"]> {
  const { steps, prefix, signal, warnings } = session;
  const { from, values } = await readRetried(session);
  const done = [...values.keys()].filter(isWork);
  if (done.length > 0) {
    const what = `These steps were taken over from the run ${from}, and not done again: ${done.join(", ")}.`;
    warnings.add(`${what} Start a new run of the prompt file to do everything again.`);
  }
  return async <Value extends object>(
    stepKey: string,
    work: () => Promise<Value | { failure: Failure }>,
  ): Promise<Value | { failure: Failure }> => {
    signal.throwIfAborted();
    const key = `${prefix}${stepKey}`;
    const taken = values.get(stepKey) as Value | undefined;
    const value = steps.isRecorded(key) ? undefined : (taken ?? (await work()));
    if (value !== undefined && "failure" in value) return value;
    return await steps.do({ key, kind: "note" }, () => Promise.resolve({ value: value as Value }));
  };
}

/**
 * The steps of the run that this one retries which still hold: turns and coders that succeeded, the prompts those coders were given,
 * and the list of tasks when one of them was begun.
 */
async function readRetried({
  registry,
  spec: { lineage },
}: Session): Promise<{ from: string; values: ReadonlyMap<string, object> }> {
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
