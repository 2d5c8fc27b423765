import type { DatabaseSync } from "node:sqlite";
import type { JsonValue } from "../../source/json.ts";
import type { LeaderTable } from "../leader-table.ts";
import type { Leases } from "./leases.ts";
import { transact, withLongWait } from "./open-database.ts";
import type { RegistryGuard } from "./registry-guard.ts";

/** The options of {@link createSqliteLeaders}. */
export interface SqliteLeadersOptions {
  ownerId: string;
  leases: Pick<Leases, "replace">;
  /** Makes this process an owner. */
  register: () => void;
  guard: RegistryGuard;
}

/** Creates the table of leaders in `database`. */
export function createSqliteLeaders(
  database: DatabaseSync,
  { ownerId, leases, register, guard }: SqliteLeadersOptions,
): LeaderTable {
  const find = database.prepare("SELECT owner, state FROM leaders WHERE work = ?");
  const take = database.prepare(
    `INSERT INTO leaders (work, owner, state) VALUES (?, ?, 'null')
      ON CONFLICT (work) DO UPDATE SET owner = excluded.owner`,
  );
  const update = database.prepare("UPDATE leaders SET state = ? WHERE work = ? AND owner = ?");
  const read = (work: string): JsonValue =>
    JSON.parse(String(find.get(work)?.["state"] ?? "null")) as JsonValue;

  function lead(work: string): boolean {
    const leader = find.get(work)?.["owner"];
    if (leader === ownerId) return true;
    if (typeof leader === "string" && !leases.replace([leader])) return false;
    take.run(work, ownerId);
    return true;
  }

  return {
    async lead(work) {
      register();
      return guard(() =>
        withLongWait(database, () =>
          transact(database, () => (lead(work) ? { saved: read(work) } : undefined)),
        ),
      );
    },
    save: async (work, state) =>
      guard(() =>
        withLongWait(
          database,
          () => update.run(JSON.stringify(state), work, ownerId).changes === 1,
        ),
      ),
    read: async (work) => guard(() => read(work)),
  };
}
