import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import { patiently, transact } from "./open-database.ts";
import { isAlive, type LeaseTimes, type Owner } from "./owner.ts";

/** Who owns which runs. */
export interface Leases {
  /** Puts this process in the list of owners, from where on it says regularly that it is alive. */
  register(): void;
  /** See `Registry.claim`. */
  claim(rootId: string): boolean;
  /** See `Registry.abandoned`. */
  abandoned(): string[];
  /** Says no more that this process is alive: its lease runs out. */
  lapse(): void;
  /** Takes this process off the list: what it has not finished is anybody's. */
  release(): void;
}

/** What {@link createLeases} needs. */
export interface LeasesOptions {
  owner: Owner;
  /** Owners that this process was before, and that failed: they count as dead. */
  formerOwners: readonly string[];
  clock: Clock;
  times: LeaseTimes;
  /** Called at each sign of life; throws when the registry cannot be used any more. */
  check: () => void;
  /** Told that this process must not go on, because its lease is lost or `check` threw. */
  onFailure: (error: unknown) => void;
}

type StatementName = "insert" | "renew" | "remove" | "all" | "familyOwners" | "take" | "unfinished";

/** Keeps the leases of `options.owner` in `database`. */
export function createLeases(database: DatabaseSync, options: LeasesOptions): Leases {
  const { owner, formerOwners, clock, times, check, onFailure } = options;
  const { insert, renew, remove, all, familyOwners, take, unfinished } = prepare(database);

  function livingOwners(): Set<unknown> {
    const now = clock.now();
    const living = all
      .all()
      .filter((row) => isAlive(toOwner(row), now - Number(row["seen_at"]), times))
      .map(({ id }) => String(id));
    return new Set(living.filter((id) => !formerOwners.includes(id)));
  }

  function claimInTransaction(rootId: string): boolean {
    const living = livingOwners();
    const owners = familyOwners.all(rootId).map((row) => row["owner"]);
    if (owners.some((id) => id !== owner.id && living.has(id))) return false;
    // Striking the former owner is what stops it, should it only have been asleep.
    for (const id of owners) if (id !== owner.id && typeof id === "string") remove.run(id);
    take.run(owner.id, rootId);
    return true;
  }

  let stop: (() => void) | undefined;

  function beat(): void {
    stop = clock.scheduleIdly(times.heartbeatMs, beat);
    try {
      check();
      // Runs that only wait commit nothing, and would never hear that they belong to another process now.
      if (renew.run(clock.now(), owner.id).changes === 0) throw leaseLost();
    } catch (error) {
      // What could not be written now is written at the next beat.
      if (error instanceof CadreError) onFailure(error);
    }
  }

  return {
    register() {
      if (stop !== undefined) return;
      const { id, host, pid, startedAt } = owner;
      patiently(database, () =>
        transact(database, () => {
          insert.run(id, host, pid, startedAt, clock.now());
          for (const former of formerOwners) remove.run(former);
        }),
      );
      stop = clock.scheduleIdly(times.heartbeatMs, beat);
    },
    claim: (rootId) =>
      patiently(database, () => transact(database, () => claimInTransaction(rootId))),
    abandoned() {
      const living = livingOwners();
      const families = new Map<string, boolean>();
      for (const row of unfinished.all()) {
        const rootId = String(row["root_id"]);
        families.set(rootId, (families.get(rootId) ?? true) && !living.has(row["owner"]));
      }
      return [...families].filter(([, isAbandoned]) => isAbandoned).map(([rootId]) => rootId);
    },
    lapse: () => stop?.(),
    release() {
      if (stop === undefined) return;
      stop();
      patiently(database, () => remove.run(owner.id));
    },
  };
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

/** An owner as its row says. */
export function toOwner(row: Record<string, unknown>): Owner {
  return {
    id: String(row["id"]),
    host: String(row["host"]),
    pid: Number(row["pid"]),
    startedAt: String(row["started_at"]),
  };
}

/** What a process is told that another one took for dead. */
export function leaseLost(): CadreError {
  return new CadreError(
    "lease-lost",
    "Another process took this one for dead (it said nothing for too long) and continues its runs. " +
      "This process must stop working on them; watch them with `cadre runs`.",
  );
}
