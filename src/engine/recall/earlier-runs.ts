import { readEarlierSpecs } from "../../registry/read-earlier-specs.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { RunSpec } from "../../run/run.ts";
import { RunFailed } from "../run-failed.ts";

/** An ended run that a later run continues, with its whole journal. */
export interface EarlierRun {
  spec: RunSpec;
  result: RecordedResult;
  events: readonly RunEvent[];
  /** The task of the run that continues it. */
  nextTask: string;
}

/**
 * Reads the runs that `spec` continues, oldest first.
 *
 * @throws RunFailed `internal` when the registry has lost one of them.
 */
export async function readEarlierRuns(
  registry: Pick<Registry, "run" | "spec" | "events">,
  spec: RunSpec,
): Promise<EarlierRun[]> {
  const specs = (await readEarlierSpecs(registry, spec)).toReversed();
  const { continues } = specs[0] ?? spec;
  if (continues !== undefined) throw lost(spec, continues);
  const found: EarlierRun[] = [];
  for (const [index, earlier] of specs.entries()) {
    const result = (await registry.run(earlier.id))?.result ?? null;
    if (result === null) throw lost(spec, earlier.id);
    const { task: nextTask } = specs[index + 1] ?? spec;
    found.push({ spec: earlier, result, events: await registry.events(earlier.id), nextTask });
  }
  return found;
}

function lost({ id }: RunSpec, earlier: string): RunFailed {
  const message = `The run ${id} continues the conversation of run ${earlier}, which the registry no longer has as an ended run. Start a new run.`;
  return new RunFailed({ code: "internal", message });
}
