import type { AgentDefinition } from "../../agent/agent.ts";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunSpec } from "../../run/run.ts";
import type { StoredDefinition } from "./stored-definition.ts";

/** A run as its journal has it. The journal may come from anywhere: nothing of it is executed before it is admitted. */
export interface RecordedRun {
  spec: RunSpec;
  definition: StoredDefinition;
}

/** What a recorded run may be executed as here and now. */
export interface AdmittedRun {
  /** Bound by what is configured now; its extensions have their configurations. */
  spec: RunSpec;
  /** With what was not kept of it. */
  definition: AgentDefinition;
}

/**
 * Checks a recorded run against what is configured and trusted now. It changes nothing.
 *
 * @throws CadreError that names the run and says what to do, when the run would do more than it may now, or cannot be
 * executed here.
 */
export type AdmitRun = (recorded: RecordedRun) => Promise<AdmittedRun>;

/**
 * Reads a run, and admits it: the only way from a journal to something that is executed.
 *
 * @throws CadreError `run-not-found`, and what `admit` throws.
 */
export async function admitRecorded(
  { registry, admit }: { registry: Registry; admit: AdmitRun },
  runId: string,
): Promise<AdmittedRun> {
  const spec = await registry.spec(runId);
  const definition = spec === undefined ? undefined : await registry.definition(spec.definition);
  if (spec?.id !== runId || definition === undefined) {
    throw new CadreError("run-not-found", `The journal of run ${runId} has lost its beginning.`);
  }
  return await admit({ spec, definition: definition as unknown as StoredDefinition });
}
