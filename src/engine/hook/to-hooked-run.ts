import type { RunSpec } from "../../run/run.ts";
import type { HookedRun } from "./hooks.ts";

/** Returns what hooks learn about a run. */
export function toHookedRun({ spec }: { spec: RunSpec }): HookedRun {
  const { id: runId, rootId, parentId, agent, task, workspace } = spec;
  return { runId, rootId, parentId, agent, task, workspace };
}
