// Delegation: turns requests into runs, within the limits of their family.

import type { AgentDefinition } from "../agent/definition/agent.ts";
import type { ModelObject } from "../model/model-object.ts";
import type { Delegation } from "../run/delegation.ts";
import type { PermissionPolicy } from "../run/permission.ts";
import type { QueueRequest } from "../run/queue/queue-request.ts";
import type { RunSpec } from "../run/run.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** A delegation with its agent resolved. Every {@link Delegation} becomes one; recipes and ad hoc agents start as one. */
export interface Assignment extends Omit<
  Delegation,
  "agent" | "task" | "parameters" | "input" | "inputs"
> {
  task: string;
  /** The id of the new run, which must be unused. Default: a new one. */
  runId?: string;
  /** How a root run waits for a worker. */
  queue?: QueueRequest;
  /** See {@link RunSpec.title}. */
  title?: string;
  definition: AgentDefinition;
  /** The provider of `model`, if the id names none itself. */
  modelNear?: string;
  /** The request's models that are objects. `model` may name one of them. */
  modelObjects?: readonly ModelObject[];
  /** The inputs of the delegation. Only `.aip` agents take several. */
  inputs?: readonly JsonValue[];
  /** See {@link RunSpec.options}. */
  options?: JsonObject;
  /** See {@link RunSpec.reportsRedo}. */
  reportsRedo?: boolean;
  /** See {@link RunSpec.effort}. */
  effort?: RunSpec["effort"];
  /** The sequence of the run. Runs of a family in the same sequence never overlap, unless one is inside the other. */
  sequence?: string;
  /** The run whose conversation the new run continues. */
  continued?: ContinuedRun;
  /**
   * Whether its tools were defined together with its parent's. The parent's own bounds then apply instead of the parent's tools.
   */
  hasToolsBesideParent?: boolean;
  /** Warnings that the result starts with. */
  warnings?: readonly string[];
}

/** An ended run that a new one continues. */
export interface ContinuedRun {
  spec: RunSpec;
  /** The remaining permission levels of its request. */
  policies: readonly PermissionPolicy[];
  /** See `RunSpec.compact`. */
  compact: boolean;
}

/** The delegating run and its step. */
export interface Origin {
  spec: RunSpec;
  /** Together with the parent's id, this identifies the new run across a resume. */
  stepKey: string;
  /** The names of the parent's tools. */
  toolNames: readonly string[] | null;
  /** Whether a user planned its children, so that their number does not indicate a runaway agent. */
  isPlanned?: boolean;
}

/** Returns the origin of a child that a program starts. The bounds of the program's own tools apply to the child. */
export function originOf(spec: RunSpec, stepKey: string): Origin {
  return { spec, stepKey, toolNames: spec.parentTools };
}
