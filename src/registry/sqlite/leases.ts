import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Clock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import { leaseLost } from "../journal/lease-lost.ts";
import { withLongWait, transact } from "./open-database.ts";
import { isOwnerAlive, type LeaseTimes, type Owner } from "../owner.ts";

/** Ownership of runs by processes. */
export interface Leases {
  /** Adds this process to the list of owners and starts its heartbeat. */
  register(): void;
  /** See `Registry.claim`. */
  claim(rootId: string): boolean;
  /** See `Registry.abandoned`. */
  abandoned(): string[];
  /**
   * Removes dead owners. If one was only suspended, its later writes fail. Returns `false`, and removes none, when one of them is
   * alive. Called in a transaction.
   */
  replace(owners: readonly string[]): boolean;
  /** Stops the heartbeat so that the lease expires. */
  lapse(): void;
  /** Removes this process from the list of owners; any process may then claim its unfinished runs. */
  release(): void;
}

/** The options of {@link createLeases}. */
export interface LeasesOptions {
  owner: Owner;
  /** The failed earlier owners of this process; they count as dead. */
  formerOwners: readonly string[];
  clock: Clock;
  times: LeaseTimes;
  /** Called at each heartbeat; throws when the registry is no longer usable. */
  check: () => void;
  /** Called when this process must stop because its lease is lost or `check` threw. */
  onFailure: (error: unknown) => void;
}

type StatementName = "insert" | "renew" | "remove" | "all" | "familyOwners" | "take" | "unfinished";

/** Manages the leases of `options.owner` in `database`. */
export function createLeases(database: DatabaseSync, options: LeasesOptions): Leases {
  const { owner, formerOwners, clock, times, check, onFailure } = options;
  const { insert, renew, remove, all, familyOwners, take, unfinished } = prepare(database);

  function livingOwners(): Set<unknown> {
    const now = clock.now();
    const living = all
      .all()
      .filter((row) => isOwnerAlive(toOwner(row), now - Number(row["seen_at"]), times))
      .map(({ id }) => String(id));
    return new Set(living.filter((id) => !formerOwners.includes(id)));
  }

  function claimInTransaction(rootId: string): boolean {
    const owners = familyOwners.all(rootId).map((row) => String(row["owner"]));
    if (!replace(owners.filter((id) => id !== owner.id))) return false;
    take.run(owner.id, rootId);
    return true;
  }

  function replace(owners: readonly string[]): boolean {
    const living = livingOwners();
    if (owners.some((id) => living.has(id))) return false;
    for (const id of owners) remove.run(id);
    return true;
  }

  let stop: (() => void) | undefined;

  function beat(): void {
    stop = clock.scheduleIdly(times.heartbeatMs, beat);
    try {
      check();
      // A process whose runs only wait writes nothing else, so it learns only from this write that its lease is lost.
      if (renew.run(clock.now(), owner.id).changes === 0) throw leaseLost();
    } catch (error) {
      // After any other error, the next heartbeat tries again.
      if (error instanceof CadreError) onFailure(error);
    }
  }

  return {
    register() {
      if (stop !== undefined) return;
      const { id, host, pid, startedAt } = owner;
      withLongWait(database, () =>
        transact(database, () => {
          insert.run(id, host, pid, startedAt, clock.now());
          for (const former of formerOwners) remove.run(former);
        }),
      );
      stop = clock.scheduleIdly(times.heartbeatMs, beat);
    },
    claim: (rootId) =>
      withLongWait(database, () => transact(database, () => claimInTransaction(rootId))),
    abandoned: () => findAbandoned(unfinished.all(), livingOwners()),
    replace,
    lapse: () => stop?.(),
    release() {
      if (stop === undefined) return;
      stop();
      withLongWait(database, () => remove.run(owner.id));
    },
  };
}

/** Finds the families in which no unfinished run (`rows`) has a live owner. */
function findAbandoned(
  rows: readonly Record<string, unknown>[],
  living: ReadonlySet<unknown>,
): string[] {
  const families = new Map<string, boolean>();
  for (const { root_id: root, owner } of rows) {
    const rootId = String(root);
    families.set(rootId, (families.get(rootId) ?? true) && !living.has(owner));
  }
  return [...families].filter(([, isAbandoned]) => isAbandoned).map(([rootId]) => rootId);
}

function prepare(database: DatabaseSync): Record<StatementName, StatementSync> {
  const insert = database.prepare(
    "INSERT INTO owners (id, host, pid, started_at, seen_at) VALUES (?, ?, ?, ?, ?)",
  );
  const renew = database.prepare("UPDATE owners SET seen_at = ? WHERE id = ?");
  const remove = database.prepare("DELETE FROM owners WHERE id = ?");
  const all = database.prepare("SELECT id, host, pid, started_at, seen_at FROM owners");
  const familyOwners = database.prepare(
    "SELECT DISTINCT owner FROM runs WHERE root_id = ? AND ended_at IS NULL",
  );
  const take = database.prepare("UPDATE runs SET owner = ? WHERE root_id = ? AND ended_at IS NULL");
  const unfinished = database.prepare(
    "SELECT root_id, owner, MIN(created_at) AS since FROM runs WHERE ended_at IS NULL GROUP BY root_id, owner ORDER BY since",
  );
  return { insert, renew, remove, all, familyOwners, take, unfinished };
}

/** Reads an owner from its row. */
export function toOwner(row: Record<string, unknown>): Owner {
  return {
    id: String(row["id"]),
    host: String(row["host"]),
    pid: Number(row["pid"]),
    startedAt: String(row["started_at"]),
  };
}
