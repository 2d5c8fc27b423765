import { type Clock, systemClock } from "../clock.ts";
import type { Run } from "../run/run.ts";
import { createJournal } from "./journal.ts";
import { createLeases } from "./leases.ts";
import { openDatabase, toRegistryError } from "./open-database.ts";
import { createOwner } from "./owner.ts";
import { pruneFamilies } from "./prune.ts";
import type { Registry } from "./registry.ts";
import { createRequests } from "./requests.ts";
import { createRunQueries, type RunQueries } from "./run-queries.ts";

/** What {@link openRegistry} needs. */
export interface RegistryOptions {
  /** The database file; created with its folder when missing. */
  path: string;
  clock?: Clock;
}

/**
 * Opens the registry kept in one SQLite file.
 *
 * @throws CadreError `registry-unavailable` or `registry-newer`; the file is then left as it was.
 */
export function openRegistry({ path, clock = systemClock }: RegistryOptions): Registry {
  const database = openDatabase(path);
  const guard = createGuard(path);
  const owner = createOwner();
  const leases = guard(() => createLeases(database, owner, clock));
  const queries = guard(() => createRunQueries(database));
  const requests = guard(() => createRequests(database, owner.id));
  // Only a process that executes runs is an owner; one that just looks leaves no trace.
  const register = (): void => guard(() => leases.register());
  const journal = createJournal(database, { path, clock, ownerId: owner.id, register });
  const stops: (() => void)[] = [];

  return {
    append: journal.append,
    flushed: journal.flushed,
    subscribe: journal.subscribe,
    putDefinition: journal.putDefinition,
    ...createReaders(queries, journal.live, guard),
    async claim(rootId) {
      register();
      if (!guard(() => leases.claim(rootId))) return false;
      journal.adopt(guard(() => queries.family(rootId)));
      return true;
    },
    abandoned: async () => guard(() => leases.abandoned()),
    request: async (runId, kind, data) => guard(() => requests.add(runId, kind, data)),
    onRequest: (handler) => void stops.push(requests.watch(handler, clock)),
    changed: (signal) => requests.changed(signal, clock),
    prune: async (before) => guard(() => pruneFamilies(database, before)),
    async close() {
      await journal.flushed().catch(() => undefined);
      for (const stop of stops) stop();
      try {
        guard(() => leases.release());
      } finally {
        database.close();
      }
    },
  };
}

type Guard = <Value>(work: () => Value) => Value;

/** Turns what SQLite throws into an error that names the file and says what to do. */
function createGuard(path: string): Guard {
  return (work) => {
    try {
      return work();
    } catch (error) {
      throw toRegistryError(error, path);
    }
  };
}

type Readers = Pick<
  Registry,
  "run" | "findRuns" | "runs" | "family" | "childOf" | "spec" | "events" | "definition"
>;

function createReaders(
  queries: RunQueries,
  live: (runId: string) => Run | undefined,
  guard: Guard,
): Readers {
  return {
    run: async (id) => live(id) ?? guard(() => queries.run(id)),
    findRuns: async (part) => guard(() => queries.findRuns(part)),
    runs: async (filter = {}) => guard(() => queries.runs(filter)),
    family: async (rootId) => guard(() => queries.family(rootId)),
    childOf: async (parentId, step) => guard(() => queries.childOf(parentId, step)),
    spec: async (runId) => guard(() => queries.spec(runId)),
    events: async (runId, afterSeq = 0) => guard(() => queries.events(runId, afterSeq)),
    definition: async (hash) => guard(() => queries.definition(hash)),
  };
}
