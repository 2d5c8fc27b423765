import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunSpec } from "../../run/run.ts";
import type { StoredDefinition } from "./stored-definition.ts";

/** A run as recorded in its journal. The journal is untrusted, so nothing in it is executed before admission. */
export interface RecordedRun {
  spec: RunSpec;
  definition: StoredDefinition;
}

/** A recorded run that is to be executed. */
export interface RunToAdmit extends RecordedRun {
  /** What is to be executed: the run itself, or a new run like it. */
  purpose: "resume" | "copy";
}

/** A recorded run as it may be executed now. */
export interface AdmittedRun {
  /** Restricted to the current configuration. Its extensions have their configurations. */
  spec: RunSpec;
  /** The complete definition, including the parts that are not stored. */
  definition: AgentDefinition;
}

/**
 * Checks a recorded run against the current configuration and trust. Changes nothing.
 *
 * @throws CadreError that names the run and says what to do, when the run exceeds the current rights or cannot be executed here.
 */
export type AdmitRun = (recorded: RunToAdmit) => Promise<AdmittedRun>;

/**
 * Reads and admits a run. This is the only way from a journal to an execution.
 *
 * @throws CadreError `run-not-found`, and the errors of `admit`.
 */
export async function admitRecorded(
  { registry, admit }: { registry: Registry; admit: AdmitRun },
  runId: string,
  purpose: RunToAdmit["purpose"] = "resume",
): Promise<AdmittedRun> {
  const spec = await registry.spec(runId);
  const definition = spec === undefined ? undefined : await registry.content(spec.definition);
  if (spec?.id !== runId || definition === undefined) {
    throw new CadreError("run-not-found", `The journal of run ${runId} has lost its beginning.`);
  }
  return await admit({ spec, definition: definition as unknown as StoredDefinition, purpose });
}
