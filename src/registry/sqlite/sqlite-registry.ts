// The registry in one SQLite file: journal, queries, ownership of runs and requests between processes.

import type { DatabaseSync } from "node:sqlite";
import { type Clock, systemClock } from "../../clock.ts";
import { createJournal, type Journal } from "../journal/journal.ts";
import { vacuum, sizeOfDatabase } from "./compact.ts";
import { rememberFiles } from "./database-files.ts";
import { createJournalWriter } from "./journal-writer.ts";
import { createLeases, type Leases } from "./leases.ts";
import { openDatabase, orClose } from "./open-database.ts";
import { createOwner, defaultLeaseTimes, type LeaseTimes } from "../owner.ts";
import { deleteEnded, pruneFamilies } from "./prune.ts";
import { isBusy, toRegistryError } from "./registry-error.ts";
import { createRegistryGuard, guardAsync, type RegistryGuard } from "./registry-guard.ts";
import type { Pruned } from "../pruned.ts";
import type { Registry } from "../registry.ts";
import { createReaders } from "./registry-readers.ts";
import { createRequests, type Requests } from "./requests.ts";
import { createSqliteCache } from "./sqlite-cache.ts";
import { createSqliteConversations } from "./sqlite-conversations.ts";
import { createSqliteLeaders } from "./sqlite-leaders.ts";
import { createRunQueries, type RunQueries } from "./run-queries.ts";

/** The options of {@link openRegistry}. */
export interface RegistryOptions {
  /** The database file. It is created, with its folder, when missing. */
  path: string;
  clock?: Clock;
  /** The lease times. All processes that share the file must use the same. Default `defaultLeaseTimes`; tests use shorter ones. */
  leaseTimes?: LeaseTimes;
  /** The `ownerId` of each failed registry of this process; its runs can be claimed at once. */
  formerOwners?: readonly string[];
}

/**
 * Opens the registry kept in one SQLite file.
 *
 * @throws CadreError `registry-unavailable` or `registry-newer`; the file is then unchanged.
 */
export function openRegistry(options: RegistryOptions): Registry {
  const { path, clock = systemClock } = options;
  const database = openDatabase(path);
  const closing = new AbortController();
  const guard = createRegistryGuard(path, closing.signal);
  const parts = guard(() => orClose(database, () => createParts(database, { ...options, guard })));
  const { ownerId, leases, journal, queries, requests, register } = parts;
  const { failed } = journal;
  // The lease expires instead of ending at once, so this process's executions can end before another process takes over.
  failed.addEventListener("abort", () => leases.lapse(), { once: true });
  const stops: (() => void)[] = [];

  return {
    ownerId,
    failed,
    fail: journal.fail,
    append: (runId, body) => guard(() => journal.append(runId, body)),
    flushed: journal.flushed,
    subscribe: journal.subscribe,
    putContent: (content) => guard(() => journal.putContent(content)),
    ...createReaders(queries, journal.live, guard),
    async claim(rootId) {
      register();
      if (!guard(() => leases.claim(rootId))) return false;
      journal.live.adopt(guard(() => queries.family(rootId)));
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
    ...parts.tables,
    prune: async (endedBefore) => {
      const times = { endedBefore, usedBefore: clock.now() - youngMs };
      return await guardAsync(guard, () =>
        returnSpace(database, path, () => pruneFamilies(database, times)),
      );
    },
    async close() {
      if (closing.signal.aborted) return;
      await journal.flushed().catch(() => undefined);
      for (const stop of stops) stop();
      try {
        guard(() => leases.release());
      } catch (error) {
        // A failed registry has already reported its error.
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
  tables: Pick<Registry, "cache" | "conversations" | "leaders">;
  /** Makes this process an owner, at its first write. A process that only reads never becomes one. */
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
  const journal = createJournal({
    clock,
    register,
    write: createJournalWriter(database, { ownerId, check }),
    isPassing: isBusy,
    toError: (error) => toRegistryError(error, path),
  });
  const leases = createLeases(database, {
    owner,
    formerOwners,
    clock,
    times: options.leaseTimes ?? defaultLeaseTimes,
    check,
    onFailure: journal.fail,
  });
  const queries = createRunQueries(database);
  return {
    ownerId,
    leases,
    journal,
    queries,
    requests: createRequests(database, ownerId),
    tables: {
      cache: createSqliteCache(database, { clock, guard }),
      conversations: createSqliteConversations(database, {
        guard,
        runFigures: queries.runFigures,
        readRun: (id) => journal.live.get(id) ?? queries.run(id),
        deleteFamilies: (rootIds) =>
          guardAsync(guard, () =>
            returnSpace(database, path, () =>
              deleteEnded(database, rootIds, clock.now() - youngMs),
            ),
          ),
      }),
      leaders: createSqliteLeaders(database, { ownerId, leases, register, guard }),
    },
    register,
  };
}

/** Deletes families with `work`, and returns their space to the file system. */
async function returnSpace(
  database: DatabaseSync,
  path: string,
  work: () => Promise<string[]>,
): Promise<Pruned> {
  const before = sizeOfDatabase(path);
  const runIds = await work();
  await vacuum(database);
  return { runIds, freedBytes: Math.max(0, before - sizeOfDatabase(path)) };
}

/** How long pruning keeps a definition that no run uses, in milliseconds. */
const youngMs = 60 * 60 * 1000;
