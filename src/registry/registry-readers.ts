import { addUpFamilies } from "../run/figures/figures.ts";
import type { Run } from "../run/run.ts";
import type { RegistryGuard } from "./registry-guard.ts";
import type { Registry } from "./registry.ts";
import type { RunQueries } from "./run-queries.ts";

type Readers = Pick<
  Registry,
  | "run"
  | "findRuns"
  | "runs"
  | "family"
  | "children"
  | "childOf"
  | "madeFrom"
  | "figures"
  | "spec"
  | "events"
  | "definition"
>;

/** The methods of a registry that read; a run that this process owns is read from `live`. */
export function createReaders(
  queries: RunQueries,
  live: (runId: string) => Run | undefined,
  guard: RegistryGuard,
): Readers {
  const readRun = (id: string): Run | undefined => live(id) ?? queries.run(id);
  return {
    run: async (id) => guard(() => readRun(id)),
    findRuns: async (part) => guard(() => queries.findRuns(part)),
    runs: async (filter = {}) => guard(() => queries.runs(filter)),
    family: async (rootId) => guard(() => queries.family(rootId)),
    children: async (parentId) => guard(() => queries.children(parentId)),
    childOf: async (parentId, step) => guard(() => queries.childOf(parentId, step)),
    madeFrom: async (runId) => guard(() => queries.madeFrom(runId)),
    figures: async (ids) => addUpFamilies(guard(() => queries.members(ids, readRun))),
    spec: async (runId) => guard(() => queries.spec(runId)),
    events: async (runId, afterSeq = 0) => guard(() => queries.events(runId, afterSeq)),
    definition: async (hash) => guard(() => queries.definition(hash)),
  };
}
