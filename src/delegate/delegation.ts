import type { AgentDefinition } from "../agent/agent.ts";
import type { Delegation } from "../run/delegation.ts";
import type { RunSpec } from "../run/run.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** A delegation whose agent is at hand: what a {@link Delegation} comes to, and how a recipe or an ad hoc agent is run. */
export interface Assignment extends Omit<
  Delegation,
  "agent" | "task" | "parameters" | "input" | "inputs"
> {
  task: string;
  /** See {@link RunSpec.title}. */
  title?: string;
  definition: AgentDefinition;
  /** The provider of `model`, where that is an id that names none itself. */
  modelNear?: string;
  /** What the input or inputs of a {@link Delegation} come to; only `.aip` agents take several. */
  inputs?: readonly JsonValue[];
  /** See {@link RunSpec.options}. */
  options?: JsonObject;
  /** See {@link RunSpec.reportsRedo}. */
  reportsRedo?: boolean;
  /** See {@link RunSpec.effort}. */
  effort?: RunSpec["effort"];
  /** Runs of the family with the same one never overlap, unless one is inside the other. */
  sequence?: string;
  /**
   * Its tools were written down together with those of its parent: they are bounded by what bounds the parent's, not by
   * those themselves.
   */
  hasToolsBesideParent?: boolean;
  /** What the result should warn about from the start. */
  warnings?: readonly string[];
}

/** The run that delegates, and where in it. */
export interface Origin {
  spec: RunSpec;
  /** With the parent's id, the identity of the new run across a resume. */
  stepKey: string;
  /** The names of the parent's tools. */
  toolNames: readonly string[] | null;
  /** A user wrote its children down: how many are at work at once is no sign of an agent that runs away. */
  isPlanned?: boolean;
}
