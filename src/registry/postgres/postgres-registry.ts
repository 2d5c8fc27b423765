// The registry in a schema of PostgreSQL: journal, queries, ownership of runs and requests between processes.

import { type Clock, systemClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import { createJournal, type Journal, type JournalItem } from "../journal/journal.ts";
import { createOwner, defaultLeaseTimes, type LeaseTimes } from "../owner.ts";
import type { Registry } from "../registry.ts";
import type { LeaderTable } from "../leader-table.ts";
import type { LiveChannel } from "../live-channel.ts";
import type { WorkTable } from "../work-table.ts";
import { type Notifications, createNotifications, everyChange } from "./notifications.ts";
import { type Claims, createClaims } from "./claims.ts";
import { connectLater, type Database } from "./connection/database.ts";
import { createJudgeOwners } from "./judge-owners.ts";
import { createGroupWriter, type GroupWriter } from "./group-writer.ts";
import { createLease, type Lease } from "./lease.ts";
import { createSchemaWatch, type SchemaWatch } from "./connection/schema-watch.ts";
import { toPostgresError } from "./connection/postgres-error.ts";
import type { CheckedPostgresOptions } from "./connection/postgres-options.ts";
import { createPostgresCache } from "./postgres-cache.ts";
import { createPostgresConversations } from "./postgres-conversations.ts";
import { createPostgresLeaders } from "./postgres-leaders.ts";
import { createPostgresLive } from "./postgres-live.ts";
import { createPostgresWork } from "./work/postgres-work.ts";
import { pruneSchema } from "./prune-schema.ts";
import { createRemoteReaders } from "./remote-readers.ts";
import { createRemoteRequests, type RemoteRequests } from "./remote-requests.ts";
import { createRemoteQueries, type RemoteQueries } from "./remote-queries.ts";

/** The options of {@link openPostgresRegistry}. */
export interface PostgresRegistryOptions {
  address: CheckedPostgresOptions;
  clock?: Clock;
  /**
   * The lease times. All processes that share the schema must use the same. Default `defaultLeaseTimes`; tests use shorter ones.
   */
  leaseTimes?: LeaseTimes;
  /** The `ownerId` of each failed registry of this process; its runs can be claimed at once. */
  formerOwners?: readonly string[];
}

/** Opens a registry in PostgreSQL. The first call that reads or writes connects. */
export function openPostgresRegistry(options: PostgresRegistryOptions): Registry {
  const { address, clock = systemClock } = options;
  const closing = new AbortController();
  const database = createGuardedDatabase(address, closing.signal);
  const parts = createParts(database, options);
  const { ownerId, journal, lease, changes, requests, queries, claims, watch } = parts;
  const { failed, live } = journal;
  // The lease expires instead of ending at once, so this process's executions can end before another process takes over.
  failed.addEventListener("abort", () => lease.lapse(), { once: true });
  const { quoted } = address;
  return {
    ownerId,
    failed,
    fail: journal.fail,
    append(runId, body) {
      refuseClosed(closing.signal, address);
      // Families that have begun may end.
      if (body.type === "run-created" && body.spec.parentId === null) watch.refuseNewer();
      return journal.append(runId, body);
    },
    async flushed() {
      await journal.flushed();
      await lease.confirm();
    },
    subscribe: journal.subscribe,
    putContent: (content) => (refuseClosed(closing.signal, address), journal.putContent(content)),
    ...convertErrors(createRemoteReaders(database, { quoted, queries, live }), address),
    async claim(rootId) {
      watch.refuseNewer();
      await lease.register();
      if (!(await claims.claim(rootId))) return false;
      live.adopt(await queries.family(rootId));
      requests.deliverAll();
      return true;
    },
    abandoned: claims.abandoned,
    request: requests.request,
    requestsTo: requests.requestsTo,
    onRequest: requests.onRequest,
    async changed(signal, isAwaited) {
      refuseClosed(closing.signal, address);
      failed.throwIfAborted();
      await nextChange(changes, isAwaited, [signal, closing.signal, failed]);
      failed.throwIfAborted();
    },
    cache: createPostgresCache(database, quoted, clock),
    conversations: convertErrors(
      createPostgresConversations(database, { schema: quoted, queries, live: live.get }),
      address,
    ),
    leaders: parts.leaders,
    work: parts.work,
    live: parts.live,
    prune: async (endedBefore) => await pruneSchema(database, quoted, endedBefore),
    close: async () => await close(parts, { database, closing }),
  };
}

interface Parts {
  ownerId: string;
  journal: Journal;
  lease: Lease;
  claims: Claims;
  leaders: LeaderTable;
  work: WorkTable;
  live: LiveChannel;
  changes: Notifications;
  watch: SchemaWatch;
  requests: RemoteRequests;
  queries: RemoteQueries;
}

function createParts(
  database: Database,
  {
    address,
    clock = systemClock,
    leaseTimes: times = defaultLeaseTimes,
    formerOwners = [],
  }: PostgresRegistryOptions,
): Parts {
  const { quoted: schema, schema: schemaName } = address;
  const owner = createOwner();
  const { id: ownerId } = owner;
  const writer = createGroupWriter(database, { schema, ownerId });
  const journal = createJournal({
    clock,
    register: () => undefined,
    write: async (items) => await writeGroup(items, { lease, writer, changes }),
    // The database retries by itself.
    isPassing: () => false,
    toError: (error) => toPostgresError(error, address.name),
  });
  const onFailure = journal.fail;
  const lease = createLease(database, { schema, owner, formerOwners, clock, times, onFailure });
  const watch = createSchemaWatch(address.name);
  const changes = createNotifications(database, {
    watch,
    schema: schemaName,
    quoted: schema,
    ownerId,
    clock,
    ownPosition: writer.lastPosition,
  });
  const judge = createJudgeOwners(database, { schema, formerOwners, times });
  const claims = createClaims(database, { schema, ownerId, judge });
  return {
    ownerId,
    journal,
    lease,
    claims,
    leaders: createPostgresLeaders(database, {
      schema,
      ownerId,
      register: lease.register,
      replace: claims.replace,
    }),
    work: createPostgresWork(database, {
      address,
      quoted: schema,
      owner,
      times,
      watch,
      forget: (rootId) => journal.live.forgetFamily(rootId),
    }),
    live: createPostgresLive(database, { schema: schemaName, quoted: schema, ownerId, changes }),
    changes,
    watch,
    requests: createRemoteRequests(database, { schema, ownerId, changes, clock }),
    queries: createRemoteQueries(database, schema),
  };
}

/** Writes a group of the journal, and tells the other processes of it. */
async function writeGroup(
  items: readonly JournalItem[],
  { lease, writer, changes }: Pick<Parts, "lease" | "changes"> & { writer: GroupWriter },
): Promise<void> {
  await lease.register();
  await writer.write(items);
  const ended = items.flatMap(toEnded);
  changes.announce(ended.length > 0 ? "end" : "event", ended);
}

/** Returns the id of the run that ends with an item. */
function toEnded(item: JournalItem): string[] {
  return "event" in item && item.event.type === "run-finished" ? [item.event.runId] : [];
}

/** Creates the database, whose statements are refused once `closed` aborts. */
function createGuardedDatabase(address: CheckedPostgresOptions, closed: AbortSignal): Database {
  const database = connectLater(address);
  return {
    ...database,
    async query(...given) {
      refuseClosed(closed, address);
      try {
        return await database.query(...given);
      } catch (error) {
        refuseClosed(closed, address);
        throw error;
      }
    },
  };
}

type Method = (...given: never[]) => Promise<unknown>;

/** Converts the errors that the methods throw for damaged rows. */
function convertErrors<Methods extends { [Name in keyof Methods]: Method }>(
  methods: Methods,
  { name }: CheckedPostgresOptions,
): Methods {
  const converted = Object.entries<Method>(methods).map(([key, method]) => [
    key,
    async (...given: never[]) => {
      try {
        return await method(...given);
      } catch (error) {
        throw toPostgresError(error, name);
      }
    },
  ]);
  return Object.fromEntries(converted) as Methods;
}

function refuseClosed(closed: AbortSignal, { name }: CheckedPostgresOptions): void {
  if (!closed.aborted) return;
  const message = `The registry ${name} was closed; open it again to continue.`;
  throw new CadreError("closed", message);
}

/** Keeps the process alive until `waiting` settles; idle connections would let it exit. */
async function stayAlive<Value>(waiting: Promise<Value>): Promise<Value> {
  const timer = setInterval(() => undefined, 2 ** 31 - 1);
  return await waiting.finally(() => clearInterval(timer));
}

/** Resolves at the next change, with `isAwaited` at the end of such a run, or when one of `signals` aborts. */
async function nextChange(
  changes: Pick<Notifications, "listen">,
  isAwaited: ((runId: string) => boolean) | undefined,
  signals: readonly AbortSignal[],
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop =
    isAwaited === undefined
      ? changes.listen(everyChange, () => resolve())
      : changes.listen(["end"], (runs) => {
          if (runs === undefined || runs.some(isAwaited)) resolve();
        });
  const ended = AbortSignal.any([...signals]);
  if (ended.aborted) resolve();
  ended.addEventListener("abort", () => resolve(), { once: true });
  await stayAlive(promise).finally(stop);
}

async function close(
  { journal, lease, changes, requests }: Parts,
  { database, closing }: { database: Database; closing: AbortController },
): Promise<void> {
  if (closing.signal.aborted) return;
  database.hurry();
  await journal.flushed().catch(() => undefined);
  requests.close();
  try {
    await lease.release();
  } catch (error) {
    // A failed registry has already reported its error.
    if (!journal.failed.aborted) throw error;
  } finally {
    closing.abort();
    await stayAlive(changes.close());
    await stayAlive(database.close());
  }
}
