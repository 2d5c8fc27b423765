import type { JsonValue } from "../../source/json.ts";
import type { LeaderTable } from "../leader-table.ts";
import type { Database } from "./connection/database.ts";

/** The options of {@link createPostgresLeaders}. */
export interface PostgresLeadersOptions {
  schema: string;
  ownerId: string;
  /** Makes this process an owner. */
  register: () => Promise<void>;
  /** Removes dead owners. Resolves with `false` when one is alive. */
  replace: (owners: readonly string[]) => Promise<boolean>;
}

/** Creates the table of leaders in the schema. */
export function createPostgresLeaders(
  database: Pick<Database, "query">,
  { schema: s, ownerId, register, replace }: PostgresLeadersOptions,
): LeaderTable {
  async function find(work: string): Promise<{ owner: string; state: JsonValue } | undefined> {
    const [row] = await database.query(`SELECT owner, state FROM ${s}.leaders WHERE work = $1`, [
      work,
    ]);
    if (row === undefined) return undefined;
    return {
      owner: String(row["owner"]),
      state: JSON.parse(String(row["state"])) as JsonValue,
    };
  }

  return {
    async lead(work) {
      await register();
      const before = await find(work);
      if (before?.owner === ownerId) return { saved: before.state };
      if (before !== undefined && !(await replace([before.owner]))) return undefined;
      // When several processes do this at once, one succeeds.
      const [row] = await database.query(
        `INSERT INTO ${s}.leaders AS old (work, owner, state) VALUES ($1, $2, 'null')
          ON CONFLICT (work) DO UPDATE SET owner = excluded.owner WHERE old.owner = $3 OR old.owner = $2
          RETURNING state`,
        [work, ownerId, before?.owner ?? ""],
      );
      return row === undefined
        ? undefined
        : { saved: JSON.parse(String(row["state"])) as JsonValue };
    },
    async save(work, state) {
      const rows = await database.query(
        `UPDATE ${s}.leaders SET state = $1 WHERE work = $2 AND owner = $3 RETURNING work`,
        [JSON.stringify(state), work, ownerId],
      );
      return rows.length === 1;
    },
    read: async (work) => (await find(work))?.state ?? null,
  };
}
