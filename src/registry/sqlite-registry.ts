import { type Clock, systemClock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import type { Run } from "../run/run.ts";
import { type CacheTable, createCacheTable } from "./cache-table.ts";
import { rememberFiles } from "./database-files.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createLeases } from "./leases.ts";
import { openDatabase, orClose } from "./open-database.ts";
import { toRegistryError } from "./registry-error.ts";
import { createOwner, defaultLeaseTimes, type LeaseTimes } from "./owner.ts";
import { findUsedExtensions, pruneFamilies } from "./prune.ts";
import type { Registry } from "./registry.ts";
import { createRequests } from "./requests.ts";
import { createRunQueries, type RunQueries } from "./run-queries.ts";

/** What {@link openRegistry} needs. */
export interface RegistryOptions {
  /** The database file; created with its folder when missing. */
  path: string;
  clock?: Clock;
  /** Every process that shares the file must use the same; tests use shorter ones. */
  leaseTimes?: LeaseTimes;
  /** The `ownerId` of registries of this process that failed: their runs can be claimed at once. */
  formerOwners?: readonly string[];
}

/**
 * Opens the registry kept in one SQLite file.
 *
 * @throws CadreError `registry-unavailable` or `registry-newer`; the file is then left as it was.
 */
export function openRegistry(options: RegistryOptions): Registry {
  const { path, clock = systemClock, leaseTimes: times = defaultLeaseTimes } = options;
  const { formerOwners = [] } = options;
  const database = openDatabase(path);
  const { check } = rememberFiles(path);
  const closing = new AbortController();
  const guard = createGuard(path, closing.signal);
  const owner = createOwner();
  const { leases, queries, requests, cache } = guard(() =>
    orClose(database, () => ({
      cache: createCacheTable(database, clock),
      leases: createLeases(database, {
        ...{ owner, formerOwners, clock, times, check },
        onFailure: (error) => journal.fail(error),
      }),
      queries: createRunQueries(database),
      requests: createRequests(database, owner.id),
    })),
  );
  // Only a process that executes runs is an owner; one that just looks leaves no trace.
  const register = (): void => guard(() => leases.register());
  const journal: Journal = createJournal(database, {
    ...{ path, clock, register, check },
    ownerId: owner.id,
  });
  const { failed } = journal;
  // Another process may go on with the runs once those of this one have had the time to end.
  failed.addEventListener("abort", () => leases.lapse(), { once: true });
  const stops: (() => void)[] = [];

  return {
    ownerId: owner.id,
    failed,
    fail: journal.fail,
    append: (runId, body) => guard(() => journal.append(runId, body)),
    flushed: journal.flushed,
    subscribe: journal.subscribe,
    putDefinition: (definition) => guard(() => journal.putDefinition(definition)),
    ...createReaders(queries, journal.live, guard),
    async claim(rootId) {
      register();
      if (!guard(() => leases.claim(rootId))) return false;
      journal.adopt(guard(() => queries.family(rootId)));
      return true;
    },
    abandoned: async () => guard(() => leases.abandoned()),
    request: async (runId, kind, data) => guard(() => requests.add(runId, kind, data)),
    requestsTo: async (runId) => guard(() => requests.to(runId)),
    onRequest: (handler) => void stops.push(requests.watch(handler, clock)),
    async changed(signal) {
      guard(() => failed.throwIfAborted());
      const ended = AbortSignal.any([signal, closing.signal, failed]);
      await requests.changed(ended, clock).catch((error: unknown) => {
        throw toRegistryError(error, path);
      });
      failed.throwIfAborted();
    },
    cache: guardAll(cache, guard),
    async prune(endedBefore) {
      const usedBefore = clock.now() - youngMs;
      return guard(() => pruneFamilies(database, { endedBefore, usedBefore }));
    },
    usedExtensions: async () => guard(() => findUsedExtensions(database)),
    async close() {
      if (closing.signal.aborted) return;
      await journal.flushed().catch(() => undefined);
      for (const stop of stops) stop();
      try {
        guard(() => leases.release());
      } catch (error) {
        // Why it cannot be written was said when it failed.
        if (!failed.aborted) throw error;
      } finally {
        closing.abort();
        database.close();
      }
    },
  };
}

/** How long a definition stays that no run has. */
const youngMs = 60 * 60 * 1000;

type Guard = <Value>(work: () => Value) => Value;

/** Turns what SQLite throws into an error that names the file and says what to do. */
function createGuard(path: string, closed: AbortSignal): Guard {
  return (work) => {
    if (closed.aborted) {
      throw new CadreError(
        "closed",
        `The registry ${path} was closed; open it anew to go on with it.`,
      );
    }
    try {
      return work();
    } catch (error) {
      throw toRegistryError(error, path);
    }
  };
}

function guardAll(table: CacheTable, guard: Guard): CacheTable {
  return {
    keep: (entry) => guard(() => table.keep(entry)),
    find: (key) => guard(() => table.find(key)),
    hit: (runId) => guard(() => table.hit(runId)),
    list: () => guard(() => table.list()),
    clear: () => guard(() => table.clear()),
  };
}

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
    children: async (parentId) => guard(() => queries.children(parentId)),
    childOf: async (parentId, step) => guard(() => queries.childOf(parentId, step)),
    madeFrom: async (runId) => guard(() => queries.madeFrom(runId)),
    spec: async (runId) => guard(() => queries.spec(runId)),
    events: async (runId, afterSeq = 0) => guard(() => queries.events(runId, afterSeq)),
    definition: async (hash) => guard(() => queries.definition(hash)),
  };
}
