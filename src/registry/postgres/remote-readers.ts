import { addUpFamilies } from "../../run/figures.ts";
import type { LiveRuns } from "../journal/live-runs.ts";
import type { RegistryReaders } from "../registry.ts";
import { createEndedFigures } from "../ended-figures.ts";
import type { Database } from "./connection/database.ts";
import { createSettledQueries } from "./settled-queries.ts";
import type { RemoteQueries } from "./remote-queries.ts";

/** Creates the reading methods of a registry. Runs that this process owns are read from `live`. */
export function createRemoteReaders(
  database: Pick<Database, "query">,
  { quoted, queries, live }: { quoted: string; queries: RemoteQueries; live: LiveRuns },
): RegistryReaders {
  const { findRuns, children, madeFrom, usage, spec, events, content } = queries;
  const ended = createEndedFigures();
  return {
    run: async (id) => live.get(id) ?? (await queries.run(id)),
    findRuns,
    runs: async (filter = {}) => await queries.runs(filter),
    family: async (rootId) => live.family(rootId) ?? (await queries.family(rootId)),
    children,
    async childOf(parentId, parentStep) {
      // The first execution of a run calls this before each child.
      if (live.hasNoChild(parentId, parentStep)) return undefined;
      return await queries.childOf(parentId, parentStep);
    },
    madeFrom,
    async figures(ids) {
      // Most runs end without delegating, and each reads its own figures when it ends.
      if (ids.every(live.isChildless))
        return addUpFamilies(ids.flatMap((id) => live.get(id) ?? []));
      const { sums, others } = ended.find(ids);
      if (others.length === 0) return sums;
      const figures = await queries.runFigures(others, live.get);
      return new Map([...sums, ...ended.addUp(others, figures)]);
    },
    usage,
    spec,
    events,
    content,
    ...createSettledQueries(database, quoted),
  };
}
