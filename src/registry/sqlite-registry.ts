import type { DatabaseSync } from "node:sqlite";
import { type Clock, systemClock } from "../clock.ts";
import { type CacheTable, createCacheTable } from "./cache-table.ts";
import { compact, sizeOfDatabase } from "./compact.ts";
import { rememberFiles } from "./database-files.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createLeases, type Leases } from "./leases.ts";
import { openDatabase, orClose } from "./open-database.ts";
import { createOwner, defaultLeaseTimes, type LeaseTimes } from "./owner.ts";
import { pruneFamilies, type PruneTimes } from "./prune.ts";
import { toRegistryError } from "./registry-error.ts";
import { createRegistryGuard, guardAsync, type RegistryGuard } from "./registry-guard.ts";
import type { Pruned, Registry } from "./registry.ts";
import { createReaders } from "./registry-readers.ts";
import { createRequests, type Requests } from "./requests.ts";
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
  const { path, clock = systemClock } = options;
  const database = openDatabase(path);
  const closing = new AbortController();
  const guard = createRegistryGuard(path, closing.signal);
  const parts = guard(() => orClose(database, () => createParts(database, { ...options, guard })));
  const { ownerId, leases, journal, queries, requests, register } = parts;
  const { failed } = journal;
  // Another process may go on with the runs once those of this one have had the time to end.
  failed.addEventListener("abort", () => leases.lapse(), { once: true });
  const stops: (() => void)[] = [];

  return {
    ownerId,
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
      try {
        await requests.changed(ended, clock);
      } catch (error) {
        throw toRegistryError(error, path);
      }
      failed.throwIfAborted();
    },
    cache: guardAll(parts.cache, guard),
    prune: async (endedBefore) => {
      const usedBefore = clock.now() - youngMs;
      return await guardAsync(guard, () => prune(database, { path, endedBefore, usedBefore }));
    },
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

interface Parts {
  ownerId: string;
  leases: Leases;
  journal: Journal;
  queries: RunQueries;
  requests: Requests;
  cache: CacheTable;
  /** Makes this process an owner: only one that executes runs is, one that just looks leaves no trace. */
  register: () => void;
}

function createParts(
  database: DatabaseSync,
  options: RegistryOptions & { guard: RegistryGuard },
): Parts {
  const { path, clock = systemClock, formerOwners = [], guard } = options;
  const { check } = rememberFiles(path);
  const owner = createOwner();
  const { id: ownerId } = owner;
  const register = (): void => guard(() => leases.register());
  const journal = createJournal(database, { path, clock, ownerId, register, check });
  const leases = createLeases(database, {
    owner,
    formerOwners,
    clock,
    times: options.leaseTimes ?? defaultLeaseTimes,
    check,
    onFailure: journal.fail,
  });
  return {
    ownerId,
    leases,
    journal,
    queries: createRunQueries(database),
    requests: createRequests(database, ownerId),
    cache: createCacheTable(database, clock),
    register,
  };
}

/** Forgets families, and gives their space back. */
async function prune(
  database: DatabaseSync,
  { path, ...times }: PruneTimes & { path: string },
): Promise<Pruned> {
  const before = sizeOfDatabase(path);
  const runIds = await pruneFamilies(database, times);
  await compact(database);
  return { runIds, freedBytes: Math.max(0, before - sizeOfDatabase(path)) };
}

/** How long a definition stays that no run has. */
const youngMs = 60 * 60 * 1000;

function guardAll(table: CacheTable, guard: RegistryGuard): CacheTable {
  return {
    keep: (entry) => guard(() => table.keep(entry)),
    find: (key) => guard(() => table.find(key)),
    hit: (runId) => guard(() => table.hit(runId)),
    list: () => guard(() => table.list()),
    clear: () => guard(() => table.clear()),
  };
}
