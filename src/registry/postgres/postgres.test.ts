import { once } from "node:events";
import { createServer } from "node:net";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasPgbouncer, startPooler } from "../../../test/fixtures/postgres/pooler.ts";
import { newSchema, postgresUrl } from "../../../test/fixtures/postgres/test-schema.ts";
import { created, createSpec, finished } from "../../../test/fixtures/run-spec.ts";
import type { Registry } from "../registry.ts";
import { requireUsableServer } from "./connection/check-server.ts";
import { migratePostgres } from "./connection/migrate.ts";
import type { PostgresOptions } from "./connection/postgres-options.ts";
import { postgres } from "./postgres.ts";

const url = postgresUrl ?? "";

function open(options: PostgresOptions): Registry {
  const registry = postgres(options).openRegistry([]);
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

async function execute(text: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}

test.each([
  [{ url: "not a url" }, "no URL"],
  [{ url: "mysql://u:secret@host/name" }, "one that starts with mysql:"],
  [{ url: "postgresql://h/n", schema: "A b" }, "at most 50 small letters"],
  [{ url: "postgresql://h/n", connections: 0 }, "a whole number from 1; got 0"],
  [{ url: "postgresql://h/n", outageSeconds: -1 }, "a number of seconds from 0"],
])("the options %j are refused with what was expected", (options, message) => {
  expect(() => postgres(options)).toThrow(message);
  expect(() => postgres(options)).not.toThrow("secret");
});

test("a server that does not answer is named, without the password", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  const registry = open({ url: `postgresql://me:secret@127.0.0.1:${port}/name` });
  const error: unknown = await registry.runs().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "registry-unavailable" });
  expect(String(error)).toMatch(
    /me@127\.0\.0\.1:\d+\/name.*cannot be reached.*correct the address/,
  );
  expect(String(error)).not.toContain("secret");
});

test("a server before version 13, or a database with another encoding, is refused", () => {
  const state = { version: 120_017, encoding: "UTF8", schemaVersion: 1, isRestored: false };
  expect(() => requireUsableServer(state, "x")).toThrow("PostgreSQL 12; expected 13 or newer");
  const latin = { ...state, version: 150_000, encoding: "LATIN1" };
  expect(() => requireUsableServer(latin, "x")).toThrow("the encoding LATIN1; expected UTF8");
});

describe.skipIf(postgresUrl === undefined)("a registry in PostgreSQL", () => {
  test("without tables, of a newer Cadre or restored from a backup is refused with what to do", async () => {
    const schema = newSchema();
    await expect(open({ url, schema }).runs()).rejects.toThrow(/no tables yet.*`cadre db migrate`/);
    const { from, to } = await migratePostgres({ url, schema });
    expect(from).toBe(0);
    expect(await migratePostgres({ url, schema })).toMatchObject({ from: to, to });
    const registry = open({ url, schema });
    registry.append("r", created("r"));
    await registry.close();
    await execute(`UPDATE "${schema}".events SET xid = '9000000000000'`);
    await expect(open({ url, schema }).runs()).rejects.toThrow(/restored from a backup.*migrate/);
    await migratePostgres({ url, schema });
    expect(await open({ url, schema }).eventsAfter("")).toHaveLength(1);
    await execute(`INSERT INTO "${schema}".schema_version VALUES (99)`);
    const newer = expect.objectContaining({ code: "registry-newer" }) as Error;
    await expect(open({ url, schema }).runs()).rejects.toEqual(newer);
    await expect(migratePostgres({ url, schema })).rejects.toEqual(newer);
  });

  test("is created once by processes that migrate it at the same time", async () => {
    const schema = newSchema();
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => migratePostgres({ url, schema })));
    expect(all.filter(({ from }) => from === 0)).toHaveLength(1);
  });

  test("names a user without rights, and a database that does not exist", async () => {
    const schema = newSchema();
    await migratePostgres({ url, schema });
    await execute(`CREATE ROLE ${schema} LOGIN`);
    const stranger = new URL(url);
    stranger.username = schema;
    await expect(open({ url: stranger.href, schema }).runs()).rejects.toThrow(/GRANT USAGE/);
    const elsewhere = new URL(url);
    elsewhere.pathname = "/nowhere";
    await expect(open({ url: elsewhere.href }).runs()).rejects.toThrow(/createdb/);
  });

  test("keeps NUL, lone surrogates and long names as they are", async () => {
    const registry = open({ url, schema: newSchema(), migrate: true });
    const odd = "a\0b \ud800 \\ \" ' 😀";
    registry.append("r", created("r", { task: odd, label: odd, agent: odd }));
    const steps = [odd, "a\ufffdb \ud800 \\ \" ' 😀", "x".repeat(100_000)];
    for (const [index, parentStep] of steps.entries()) {
      const spec = createSpec(`r-${index}`, { rootId: "r", parentId: "r", parentStep, depth: 1 });
      registry.append(spec.id, { type: "run-created", spec });
      registry.append(spec.id, finished(spec.id, { text: odd }));
    }
    const hash = registry.putContent({ odd });
    await registry.flushed();
    expect(await registry.content(hash)).toEqual({ odd });
    expect((await registry.spec("r"))?.task).toBe(odd);
    const [, first] = await registry.family("r");
    expect(first?.result?.text).toBe(odd);
    for (const [index, step] of steps.entries()) {
      expect((await registry.childOf("r", step))?.id).toBe(`r-${index}`);
    }
    expect(await registry.conversations.list({ text: "A\0B" })).toHaveLength(1);
    expect(await registry.run("no\0run")).toBeUndefined();
  });

  test("reports only that rows are damaged", async () => {
    const schema = newSchema();
    const registry = open({ url, schema, migrate: true });
    registry.append("r", created("r"));
    registry.append("r", finished("r"));
    await registry.flushed();
    await execute(`UPDATE "${schema}".runs SET state = '{}'`);
    const other = open({ url, schema });
    await expect(other.runs()).rejects.toMatchObject({
      code: "registry-unavailable",
      message: expect.stringMatching(/is damaged.*restore a backup/),
    });
  });

  test.skipIf(!hasPgbouncer())(
    "refuses a pooler in transaction mode, and takes one in session mode",
    async () => {
      const schema = newSchema();
      await migratePostgres({ url, schema });
      await expect(open({ url: await startPooler("transaction"), schema }).runs()).rejects.toThrow(
        /PgBouncer with pool_mode = transaction.*Use pool_mode = session/,
      );
      expect(await open({ url: await startPooler("session"), schema }).runs()).toEqual([]);
    },
  );
});
