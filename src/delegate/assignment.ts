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
  /** The id of the new run, which no run has. Default: a new one. */
  runId?: string;
  /** How a root run waits for a worker. */
  queue?: QueueRequest;
  /** See {@link RunSpec.title}. */
  title?: string;
  definition: AgentDefinition;
  /** The provider of `model`, when the id names none itself. */
  modelNear?: string;
  /** The models of the request that are objects; `model` may name one of them. */
  modelObjects?: readonly ModelObject[];
  /** The inputs of the delegation; only `.aip` agents take several. */
  inputs?: readonly JsonValue[];
  /** See {@link RunSpec.options}. */
  options?: JsonObject;
  /** See {@link RunSpec.reportsRedo}. */
  reportsRedo?: boolean;
  /** See {@link RunSpec.effort}. */
  effort?: RunSpec["effort"];
  /** The sequence of the run. Runs of a family in the same sequence never overlap, unless one is inside the other. */
  sequence?: string;
  /** The run whose conversation the new run goes on with. */
  continued?: ContinuedRun;
  /** Its tools were defined together with its parent's, so the parent's own bounds apply instead of the parent's tools. */
  hasToolsBesideParent?: boolean;
  /** Warnings that the result starts with. */
  warnings?: readonly string[];
}

/** An ended run that a new one continues. */
export interface ContinuedRun {
  spec: RunSpec;
  /** The levels of permissions that remain from its request. */
  policies: readonly PermissionPolicy[];
  /** See `RunSpec.compact`. */
  compact: boolean;
}

/** The run that delegates, and its step. */
export interface Origin {
  spec: RunSpec;
  /** Together with the parent's id, this identifies the new run across a resume. */
  stepKey: string;
  /** The names of the parent's tools. */
  toolNames: readonly string[] | null;
  /** A user planned its children, so their number does not indicate a runaway agent. */
  isPlanned?: boolean;
}

/** The origin of a child that a program starts. The bounds of the program's own tools apply to it. */
export function originOf(spec: RunSpec, stepKey: string): Origin {
  return { spec, stepKey, toolNames: spec.parentTools };
}
