import { submittedOwner } from "../owner.ts";
import type { Registry } from "../registry.ts";
import type { Database } from "./connection/database.ts";
import type { JudgedOwner, JudgeOwners } from "./judge-owners.ts";

/** The options of {@link createClaims}. */
export interface ClaimsOptions {
  schema: string;
  ownerId: string;
  judge: JudgeOwners;
}

/** The methods that take over the runs of dead owners. */
export interface Claims extends Pick<Registry, "claim" | "abandoned"> {
  /** Removes dead owners. If one was only suspended, its later writes fail. Resolves with `false` when one of them is alive. */
  replace(owners: readonly string[]): Promise<boolean>;
}

/**
 * Creates the methods that take over the runs of dead owners. Each statement is its own transaction, so no transaction waits for
 * this process. A statement changes only rows that are still as they were judged.
 */
export function createClaims(
  database: Pick<Database, "query">,
  { schema, ownerId, judge }: ClaimsOptions,
): Claims {
  async function readOwners(rootId: string): Promise<string[]> {
    const rows = await database.query(
      `SELECT DISTINCT owner FROM ${schema}.runs WHERE root_id = $1 AND ended_at IS NULL`,
      [rootId],
      { name: "owners" },
    );
    return rows.map((row) => String(row["owner"]));
  }

  /** Takes the unfinished runs of a family from `owners`. When two processes do so at once, one gets all of them. */
  async function take(rootId: string, owners: readonly string[]): Promise<void> {
    await database.query(
      `UPDATE ${schema}.runs SET owner = $1
        WHERE owner = ANY($3) AND id IN (
          SELECT id FROM ${schema}.runs WHERE root_id = $2 AND ended_at IS NULL
            ORDER BY id FOR NO KEY UPDATE)`,
      [ownerId, rootId, owners],
    );
  }

  async function replace(owners: readonly string[]): Promise<boolean> {
    const judged = await judge(owners);
    return (
      !judged.some(({ isAlive }) => isAlive) && (await removeDead({ database, schema }, judged))
    );
  }

  return {
    replace,
    async claim(rootId) {
      if (await takeFreed(database, { schema, ownerId }, rootId)) return true;
      const others = (await readOwners(rootId)).filter((id) => id !== ownerId);
      if (!(await replace(others))) return false;
      if (others.length > 0) await take(rootId, others);
      return (await readOwners(rootId)).every((id) => id === ownerId);
    },
    async abandoned() {
      const rows = await database.query(
        `SELECT root_id, owner, min(created_at) AS since FROM ${schema}.runs WHERE ended_at IS NULL
          GROUP BY root_id, owner ORDER BY since`,
        [],
        { name: "unfinished" },
      );
      const judged = await judge([...new Set(rows.map((row) => String(row["owner"])))]);
      const living = new Set(judged.filter(({ isAlive }) => isAlive).map(({ id }) => id));
      const families = new Map<string, boolean>();
      for (const row of rows) {
        const rootId = String(row["root_id"]);
        const isDead = !living.has(String(row["owner"]));
        families.set(rootId, (families.get(rootId) ?? true) && isDead);
      }
      return [...families].filter(([, isAbandoned]) => isAbandoned).map(([rootId]) => rootId);
    },
  };
}

/**
 * Takes the unowned, unfinished runs of a family that was submitted to the workers, in one statement. Resolves with `false` when
 * another process owns one of them. When two processes do so at once, one gets all of them.
 */
async function takeFreed(
  { query }: Pick<Database, "query">,
  { schema, ownerId }: Pick<ClaimsOptions, "schema" | "ownerId">,
  rootId: string,
): Promise<boolean> {
  const rows = await query(
    `WITH found AS MATERIALIZED (
        SELECT id, owner FROM ${schema}.runs WHERE root_id = $2 AND ended_at IS NULL
          ORDER BY id FOR NO KEY UPDATE),
      other AS MATERIALIZED (SELECT FROM found WHERE owner NOT IN ($1, $3)),
      taken AS (
        UPDATE ${schema}.runs SET owner = $1
          WHERE NOT EXISTS (SELECT FROM other) AND id IN (SELECT id FROM found WHERE owner = $3))
      SELECT EXISTS (SELECT FROM other) AS has_other`,
    [ownerId, rootId, submittedOwner],
    { name: "take-freed" },
  );
  return rows[0]?.["has_other"] === false;
}

/**
 * Removes dead owners. If one was only suspended, its later writes fail. Waits for a write that one of them has begun. Resolves
 * with `false` when one has sent a heartbeat since it was judged.
 */
async function removeDead(
  { database, schema }: { database: Pick<Database, "query">; schema: string },
  dead: readonly JudgedOwner[],
): Promise<boolean> {
  const listed = dead.filter(({ seenAt }) => seenAt !== null);
  if (listed.length === 0) return true;
  const ids = listed.map(({ id }) => id);
  await database.query(
    `DELETE FROM ${schema}.owners AS owners
      USING unnest($1::text[], $2::text[]) AS judged (id, seen_at)
      WHERE owners.id = judged.id AND owners.seen_at = judged.seen_at::timestamptz`,
    [ids, listed.map(({ seenAt }) => seenAt)],
  );
  const left = await database.query(`SELECT id FROM ${schema}.owners WHERE id = ANY($1)`, [ids]);
  return left.length === 0;
}
