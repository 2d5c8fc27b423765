import type { JsonObject, JsonValue } from "../source/json.ts";
import type { Budget } from "./budget.ts";

/** A request for a run, whichever way in it came. Plain JSON. */
export interface Delegation {
  /** The name of the agent. */
  agent: string;
  /** Absent only for a recipe, whose prompt is its task; what is given is added to what the recipe says. */
  task?: string;
  /** Values for the parameters of an agent that is a recipe. */
  parameters?: JsonObject;
  /**
   * Data besides the task. A program gets it as its input, an `.aip` agent as the one it works on, an agent that is a prompt
   * as JSON behind its task. At most 4 MiB of JSON. It must fit the agent's `inputSchema`.
   */
  input?: JsonValue;
  /** Several inputs in place of `input`, which only an `.aip` agent takes: it works on each. At most 4 MiB of JSON. */
  inputs?: readonly JsonValue[];
  /** A name for the run that is easier to read than its id: 1 to 100 characters on one line. */
  label?: string;
  /** `provider:model` or an alias; absent = the definition's, else the parent's, else the default. */
  model?: string;
  temperature?: number;
  /** Seconds of running time, at most a day. Absent = the definition's. */
  timeoutSeconds?: number;
  /**
   * The runs that must have ended before it begins: ids, or labels in the family (of a run without a parent: of the runs
   * without a parent that this Cadre started). Of several runs with a label the newest is meant.
   */
  dependsOn?: string | readonly string[];
  /** Put the results of `dependsOn` before the task. Default false. */
  includeDependencyResult?: boolean;
  /**
   * What becomes of it when one of `dependsOn` did not succeed: it ends `dependency-failed` (`fail`, the default), or it
   * runs and is told what failed (`run`).
   */
  onDependencyError?: "fail" | "run";
  /**
   * What it and its descendants can read besides their tasks, over what its parent was given. At most 1 MiB of JSON. The
   * key `$LABEL` with the value `"reference"` stands for the result of the run LABEL, which it then depends on.
   */
  sharedContext?: JsonObject;
  /** Nobody waits for it: its result enters the parent's conversation when it ends. Absent = the definition's. */
  background?: boolean;
  /** It lives on when its parent ends. Default false. */
  detach?: boolean;
  /** How often it tries again after an attempt that failed. Absent = as the definition says, else 0. */
  retries?: number;
  /** For it and its descendants. Absent = the definition's. */
  budget?: Budget;
  /** JSON Schema that its output must fit. Absent = the definition's. */
  outputSchema?: JsonObject;
  /** `true`: it is told to end with a summary; `false`: everything it says and its tools give is its text. Absent = its last words. */
  summary?: boolean;
  /** Part of the task. */
  images?: readonly DelegatedImage[];
  /** An earlier result may stand for it. Absent = the definition's. */
  cache?: boolean;
  /** The names of the configured extensions it gets; absent = the definition's, else the parent's. */
  extensions?: readonly string[];
}

/** An image as it is asked for: its content in base64, or a file of the workspace. Its bytes say what type it is. */
export type DelegatedImage = ({ data: string } | { path: string }) & { mediaType?: string };
