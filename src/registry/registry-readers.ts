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
  return {
    run: async (id) => live(id) ?? guard(() => queries.run(id)),
    findRuns: async (part) => guard(() => queries.findRuns(part)),
    runs: async (filter = {}) => guard(() => queries.runs(filter)),
    family: async (rootId) => guard(() => queries.family(rootId)),
    children: async (parentId) => guard(() => queries.children(parentId)),
    childOf: async (parentId, step) => guard(() => queries.childOf(parentId, step)),
    madeFrom: async (runId) => guard(() => queries.madeFrom(runId)),
    spec: async (runId) => guard(() => queries.spec(runId)),
    events: async (runId, afterSeq = 0) => guard(() => queries.events(runId, afterSeq)),
    definition: async (hash) => guard(() => queries.definition(hash)),
  };
}
