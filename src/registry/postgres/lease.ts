import type { Clock } from "../../clock.ts";
import { leaseLost } from "../journal/lease-lost.ts";
import type { LeaseTimes, Owner } from "../owner.ts";
import type { Database } from "./connection/database.ts";
import { readProcessScope } from "../process-scope.ts";

/** The lease of this process on its runs. */
export interface Lease {
  /** Adds this process to the list of owners, once, and starts its heartbeat. */
  register(): Promise<void>;
  /** Resolves when this process still owns its runs: at once, or after a heartbeat when the last one is old. */
  confirm(): Promise<void>;
  /** Stops the heartbeat so that the lease expires. */
  lapse(): void;
  /** Removes this process from the list of owners; any process may then claim its unfinished runs. */
  release(): Promise<void>;
}

/** The options of {@link createLease}. */
export interface LeaseOptions {
  schema: string;
  owner: Owner;
  /** The failed earlier owners of this process. They are removed from the list. */
  formerOwners: readonly string[];
  clock: Clock;
  times: LeaseTimes;
  /** Called when this process must stop because its lease is lost. */
  onFailure: (error: unknown) => void;
}

/** Creates the lease of `options.owner`. The database's clock measures the time since its heartbeats. */
export function createLease(database: Pick<Database, "query">, options: LeaseOptions): Lease {
  const { schema, owner, clock, times, onFailure } = options;
  let registration: Promise<void> | undefined;
  let seen = readClocks();
  let stop: (() => void) | undefined;
  let hasLapsed = false;

  async function insert(): Promise<void> {
    const began = readClocks();
    await insertOwner(database, options);
    seen = began;
    scheduleBeat();
  }

  function scheduleBeat(): void {
    if (!hasLapsed) stop = clock.scheduleIdly(times.heartbeatMs, () => void beat());
  }

  async function beat(): Promise<void> {
    // After any other error, the next heartbeat tries again.
    await renew().catch(() => undefined);
    scheduleBeat();
  }

  /** A process whose runs only wait writes nothing else, so it learns only from this write that its lease is lost. */
  async function renew(): Promise<void> {
    const began = readClocks();
    const rows = await database.query(
      `UPDATE ${schema}.owners SET seen_at = clock_timestamp() WHERE id = $1 RETURNING id`,
      [owner.id],
      { name: "renew", isGated: false },
    );
    seen = began;
    if (rows.length > 0) return;
    const lost = leaseLost();
    onFailure(lost);
    throw lost;
  }

  function lapse(): void {
    hasLapsed = true;
    stop?.();
  }

  return {
    async register() {
      registration ??= insert();
      try {
        await registration;
      } catch (error) {
        registration = undefined;
        throw error;
      }
    },
    async confirm() {
      const now = readClocks();
      const silentMs = Math.max(now.wall - seen.wall, now.monotonic - seen.monotonic);
      if (registration !== undefined && silentMs > times.leaseMs / 2) await renew();
    },
    lapse,
    async release() {
      lapse();
      if (registration === undefined) return;
      await database.query(`DELETE FROM ${schema}.owners WHERE id = $1`, [owner.id]);
    },
  };
}

async function insertOwner(
  database: Pick<Database, "query">,
  { schema, owner: { id, host, pid, startedAt }, formerOwners }: LeaseOptions,
): Promise<void> {
  await database.query(
    `WITH former AS (DELETE FROM ${schema}.owners WHERE id = ANY($6))
      INSERT INTO ${schema}.owners (id, host, place, pid, started_at, seen_at)
        VALUES ($1, $2, $3, $4, $5, clock_timestamp()) ON CONFLICT (id) DO NOTHING`,
    [id, host, readProcessScope(), pid, startedAt, formerOwners],
    { isGated: false },
  );
}

/** The wall clock advances while a machine sleeps; the monotonic clock cannot be changed. */
function readClocks(): { wall: number; monotonic: number } {
  return { wall: Date.now(), monotonic: performance.now() };
}
