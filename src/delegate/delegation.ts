import type { RunSpec } from "../run/run.ts";

/** A request for a run, whichever way in it came. */
export interface Delegation {
  /** The name of the agent. */
  agent: string;
  task: string;
  /** A name for the run that is easier to read than its id. */
  label?: string;
  /** `provider:model` or an alias; absent = the definition's, else the parent's, else the default. */
  model?: string;
  /** Absent = the definition's. */
  timeoutSeconds?: number;
}

/** The run that delegates, and where in it. */
export interface Origin {
  spec: RunSpec;
  /** With the parent's id, the identity of the new run across a resume. */
  stepKey: string;
  /** The names of the parent's tools. */
  toolNames: readonly string[] | null;
}
