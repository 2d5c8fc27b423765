// Graphs: files that list runs and their dependencies.

import type { Budget } from "../../run/budget.ts";
import type { Delegation } from "../../run/delegation.ts";
import type { JsonObject } from "../../source/json.ts";

/** Runs that depend on each other, defined in a file. Plain JSON. */
export interface Graph {
  /** The runs, each after its dependencies. */
  runs: readonly GraphRun[];
  /** Shared by all runs. */
  sharedContext?: JsonObject;
  model?: string;
  timeoutSeconds?: number;
  /** Applies to all runs together. */
  budget?: Budget;
}

/** A run of a graph. It names its dependencies by label. */
export interface GraphRun extends Omit<
  Delegation,
  "background" | "detach" | "dependsOn" | "providerOptions"
> {
  label: string;
  dependsOn: readonly string[];
}
