import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Proxy, startProxy } from "../../../test/fixtures/postgres/proxy.ts";
import { newSchema, postgresUrl } from "../../../test/fixtures/postgres/test-schema.ts";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { runStarted, step } from "../../../test/fixtures/registry/two-processes.ts";
import type { Registry } from "../registry.ts";
import { type PostgresOptions, readPostgresOptions } from "./connection/postgres-options.ts";
import { openPostgresRegistry, type PostgresRegistryOptions } from "./postgres-registry.ts";

const url = postgresUrl ?? "";

function open(
  options: PostgresOptions,
  given: Omit<PostgresRegistryOptions, "address"> = {},
): Registry {
  const address = readPostgresOptions({ migrate: true, ...options });
  const registry = openPostgresRegistry({ ...given, address });
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

async function openProxy(): Promise<Proxy> {
  const proxy = await startProxy(url);
  onTestFinished(proxy.close);
  return proxy;
}

async function execute(text: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}

const typesOf = async (registry: Registry): Promise<string[]> =>
  (await registry.events("r")).map(({ type }) => type);

describe.skipIf(postgresUrl === undefined)("a registry in PostgreSQL during an outage", () => {
  test("writes and reads when the server is back, and loses and duplicates nothing", async () => {
    const [proxy, schema] = [await openProxy(), newSchema()];
    const registry = open({ url: proxy.url, schema });
    registry.append("r", created("r"));
    await registry.flushed();
    proxy.cut();
    registry.append("r", runStarted);
    const flushed = registry.flushed();
    const read = registry.runs();
    registry.append("r", step("k"));
    proxy.open();
    await flushed;
    await registry.flushed();
    expect(await read).toHaveLength(1);
    expect(await typesOf(open({ url, schema }))).toEqual([
      "run-created",
      "run-started",
      "step-finished",
    ]);
  });

  test("does not write a group again whose commit succeeded although its answer was lost", async () => {
    const [proxy, schema] = [await openProxy(), newSchema()];
    const registry = open({ url: proxy.url, schema });
    registry.append("r", created("r"));
    await registry.flushed();
    proxy.loseAnswerTo("write\0");
    registry.append("r", runStarted);
    await registry.flushed();
    expect(await typesOf(registry)).toEqual(["run-created", "run-started"]);
    expect(registry.failed.aborted).toBe(false);
  });

  test("stores a request once although it was sent twice", async () => {
    const [proxy, schema] = [await openProxy(), newSchema()];
    const registry = open({ url: proxy.url, schema });
    registry.append("r", created("r"));
    await registry.flushed();
    proxy.loseAnswerTo(".requests (key");
    await registry.request("r", "cancel", { reason: "enough", by: "user" });
    expect(await registry.requestsTo("r")).toHaveLength(1);
  });

  test("reports changes again after its connection was cut", async () => {
    const [proxy, schema] = [await openProxy(), newSchema()];
    const [registry, other] = [open({ url: proxy.url, schema }), open({ url, schema })];
    const first = registry.changed(new AbortController().signal);
    await registry.runs();
    proxy.cut();
    other.append("r", created("r"));
    await other.flushed();
    proxy.open();
    await first;
    const second = registry.changed(new AbortController().signal);
    expect(await registry.runs()).toHaveLength(1);
    other.append("r", runStarted);
    await second;
  });

  test("fails when the outage is longer than `outageSeconds`, and says what to do", async () => {
    const [proxy, schema] = [await openProxy(), newSchema()];
    const registry = open({ url: proxy.url, schema, outageSeconds: 0.3 });
    registry.append("r", created("r"));
    await registry.flushed();
    proxy.cut();
    registry.append("r", runStarted);
    await expect(registry.flushed()).rejects.toMatchObject({
      code: "registry-unavailable",
      message: expect.stringMatching(/cannot be reached.*is kept.*cadre resume/),
    });
    await expect(registry.runs()).rejects.toMatchObject({ code: "registry-unavailable" });
  });

  test("declares no owner dead until the others had time for a heartbeat", async () => {
    const [proxy, schema] = [await openProxy(), newSchema()];
    const leaseTimes = { heartbeatMs: 3_600_000, leaseMs: 20_000 };
    const owner = open({ url, schema }, { leaseTimes });
    owner.append("r", created("r"));
    await owner.flushed();
    // Its process is on another machine, which was cut off for a minute.
    await execute(`UPDATE "${schema}".owners SET place = 'elsewhere', host = 'elsewhere',
      seen_at = clock_timestamp() - interval '1 minute'`);
    const cutOff = open({ url: proxy.url, schema }, { leaseTimes });
    await cutOff.runs();
    proxy.cut();
    const read = cutOff.runs();
    proxy.open();
    await read;
    expect(await cutOff.claim("r")).toBe(false);
    await execute(`UPDATE "${schema}".owners SET seen_at = clock_timestamp() - interval '1 minute'
      WHERE place = 'elsewhere'`);
    // The server of a test has not run for a minute: without its start, the lease is over.
    expect(
      await open({ url, schema }, { leaseTimes: { ...leaseTimes, leaseMs: 0 } }).claim("r"),
    ).toBe(true);
    owner.append("r", finished("r"));
    await expect(owner.flushed()).rejects.toMatchObject({ code: "lease-lost" });
  });
});
