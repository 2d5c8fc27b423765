import { addUpFamilies } from "../../run/figures.ts";
import { createEndedFigures } from "../ended-figures.ts";
import type { Run } from "../../run/run.ts";
import type { LiveRuns } from "../journal/live-runs.ts";
import type { RegistryGuard } from "./registry-guard.ts";
import type { RegistryReaders } from "../registry.ts";
import type { RunQueries } from "./run-queries.ts";

/** Creates the reading methods of a registry. Runs that this process owns are read from `live`. */
export function createReaders(
  queries: RunQueries,
  live: Pick<LiveRuns, "get" | "isChildless" | "hasNoChild">,
  guard: RegistryGuard,
): RegistryReaders {
  const readRun = (id: string): Run | undefined => live.get(id) ?? queries.run(id);
  const ended = createEndedFigures();
  return {
    run: async (id) => guard(() => readRun(id)),
    findRuns: async (part) => guard(() => queries.findRuns(part)),
    runs: async (filter = {}) => guard(() => queries.runs(filter)),
    family: async (rootId) => guard(() => queries.family(rootId)),
    children: async (parentId) => guard(() => queries.children(parentId)),
    childOf: async (parentId, step) =>
      live.hasNoChild(parentId, step) ? undefined : guard(() => queries.childOf(parentId, step)),
    madeFrom: async (runId) => guard(() => queries.madeFrom(runId)),
    async figures(ids) {
      // Most runs end without delegating, and each reads its own figures when it ends.
      if (ids.every(live.isChildless))
        return addUpFamilies(ids.flatMap((id) => live.get(id) ?? []));
      const { sums, others } = ended.find(ids);
      if (others.length === 0) return sums;
      const figures = guard(() => queries.runFigures(others, readRun));
      return new Map([...sums, ...ended.addUp(others, figures)]);
    },
    usage: async (request) => guard(() => queries.usage(request)),
    spec: async (runId) => guard(() => queries.spec(runId)),
    events: async (runId, which) => guard(() => queries.events(runId, which)),
    content: async (hash) => guard(() => queries.content(hash)),
    eventsAfter: async (position) => guard(() => queries.eventsAfter(position)),
    lastPosition: async () => guard(() => queries.lastPosition()),
  };
}
