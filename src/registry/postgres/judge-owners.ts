import { isOwnerAlive, type LeaseTimes, type Owner } from "../owner.ts";
import type { Row } from "./connection/connections.ts";
import type { Database } from "./connection/database.ts";
import { readProcessScope } from "../process-scope.ts";

/** An owner of runs, and whether it may still be active. */
export interface JudgedOwner {
  id: string;
  isAlive: boolean;
  /** The time of its last heartbeat as the database formats it; `null` = it is not in the list of owners. */
  seenAt: string | null;
}

/** Reports which owners may still be active. */
export type JudgeOwners = (ids: readonly string[]) => Promise<JudgedOwner[]>;

/** The options of {@link createJudgeOwners}. */
export interface JudgeOwnersOptions {
  schema: string;
  /** The failed earlier owners of this process; they count as dead. */
  formerOwners: readonly string[];
  times: LeaseTimes;
}

/**
 * Creates a {@link JudgeOwners}. An owner on this machine is alive while its process is. An owner on another machine is alive
 * while its last heartbeat is recent by the database's clock.
 */
export function createJudgeOwners(
  database: Pick<Database, "query" | "reachableMs">,
  { schema, formerOwners, times }: JudgeOwnersOptions,
): JudgeOwners {
  const place = readProcessScope();
  // While the server was down, no process could write a heartbeat.
  const read = `
    SELECT id, host, place, pid, started_at, seen_at::text AS seen_at,
        extract(epoch FROM clock_timestamp() - greatest(seen_at, pg_postmaster_start_time()))::float8 * 1000
          AS silent_ms
      FROM ${schema}.owners WHERE id = ANY($1)`;

  function toJudged(row: Row): JudgedOwner {
    const owner: Owner = {
      id: String(row["id"]),
      host: String(row["host"]),
      pid: Number(row["pid"]),
      startedAt: String(row["started_at"]),
    };
    // After a network outage, other processes need as long as this one to send a heartbeat.
    const silentMs = Math.min(Number(row["silent_ms"]), database.reachableMs());
    const isAlive =
      !formerOwners.includes(owner.id) &&
      isOwnerAlive(owner, silentMs, times, row["place"] === place);
    return { id: owner.id, isAlive, seenAt: String(row["seen_at"]) };
  }

  return async (ids) => {
    if (ids.length === 0) return [];
    const rows = await database.query(read, [ids], { name: "judge" });
    const found = new Map(rows.map((row) => [String(row["id"]), toJudged(row)]));
    return ids.map((id) => found.get(id) ?? { id, isAlive: false, seenAt: null });
  };
}
