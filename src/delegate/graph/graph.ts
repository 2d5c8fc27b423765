// Graphs: files that list runs and their dependencies.

import type { Budget } from "../../run/budget.ts";
import type { Delegation } from "../../run/delegation.ts";
import type { JsonObject } from "../../source/json.ts";

/** Runs that depend on each other, defined in a file. Plain JSON. */
export interface Graph {
  /** The runs, each after its dependencies. */
  runs: readonly GraphRun[];
  /** For all of them. */
  sharedContext?: JsonObject;
  model?: string;
  timeoutSeconds?: number;
  /** For all of them together. */
  budget?: Budget;
}

/** A run of a graph; it depends on others by their labels. */
export interface GraphRun extends Omit<
  Delegation,
  "background" | "detach" | "dependsOn" | "providerOptions"
> {
  label: string;
  dependsOn: readonly string[];
}
