import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { newSchema, postgresUrl } from "../../../../test/fixtures/postgres/test-schema.ts";
import { migrateQueue } from "./migrate-queue.ts";
import { createQueuePool } from "./queue-pool.ts";

const url = postgresUrl ?? "";

describe.skipIf(postgresUrl === undefined)("the migration of the queue", () => {
  test("is done once by processes that do it at the same time", async () => {
    const schema = newSchema();
    // In one process, DBOS cannot be started twice: the second one waits behind a lock that somebody else holds.
    const other = new Client(url);
    await other.connect();
    await other.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [`cadre ${schema}_dbos`]);
    let isDone = false;
    const migrated = migrateQueue({ url, schema }).finally(() => (isDone = true));
    await expect
      .poll(async () => await countTries(other, "pg_try_advisory_lock"), { timeout: 60_000 })
      .toBeGreaterThan(0);
    expect(isDone).toBe(false);
    await other.end();
    expect(await migrated).toBe(true);
    expect(await migrateQueue({ url, schema })).toBe(true);
  });

  test("says which transactions hold it up, and is completed afterwards", async () => {
    const schema = newSchema();
    const other = new Client(url);
    await other.connect();
    await other.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await other.query("SELECT 1");
    await expect(migrateQueue({ url, schema, lockTimeoutMs: 200 })).rejects.toMatchObject({
      code: "registry-unavailable",
      message: expect.stringMatching(
        /A transaction of another program held up the migration .* run `cadre db migrate` again/,
      ) as string,
    });
    await other.end();
    expect(await migrateQueue({ url, schema })).toBe(true);
  });

  test("says who has the lock when it takes too long", async () => {
    const schema = newSchema();
    const other = new Client(url);
    await other.connect();
    await other.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [`cadre ${schema}_dbos`]);
    await expect(migrateQueue({ url, schema, lockTimeoutMs: 200 })).rejects.toMatchObject({
      code: "registry-unavailable",
      message: expect.stringMatching(
        /Another process has been migrating .* for longer than 0\.2 s.* run `cadre db migrate` again/,
      ) as string,
    });
    await other.end();
  });

  test("refuses an invalid timeout", async () => {
    await expect(migrateQueue({ url, lockTimeoutMs: Number.NaN })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });
});

test.skipIf(postgresUrl === undefined)(
  "the server ends a transaction of the queue whose process stands still",
  async () => {
    const pool = await createQueuePool(url, { max: 1 });
    onTestFinished(async () => await pool.end());
    const { rows } = await pool.query("SHOW idle_in_transaction_session_timeout");
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: "15s" }]);
  },
);

async function countTries(client: Client, text: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE $1",
    [`%${text}%`],
  );
  return Number(rows[0]?.count);
}
