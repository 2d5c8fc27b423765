import { createHash } from "node:crypto";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { startProxy } from "../../../test/fixtures/postgres/proxy.ts";
import { newSchema, postgresUrl } from "../../../test/fixtures/postgres/test-schema.ts";
import type { LiveChannel } from "../live-channel.ts";
import type { PostgresOptions } from "./connection/postgres-options.ts";
import { createMessageSeal } from "./message-seal.ts";
import { postgres } from "./postgres.ts";

const url = postgresUrl ?? "";
const poll = { timeout: 30_000, interval: 20 };

async function open(options: PostgresOptions): Promise<{ live: LiveChannel }> {
  const registry = postgres({ migrate: true, ...options }).openRegistry([]);
  onTestFinished(() => registry.close().catch(() => undefined));
  await registry.runs();
  if (registry.live === undefined) throw new Error("expected a channel");
  return { live: registry.live };
}

function collect({ live }: { live: LiveChannel }, topic: string): (string | undefined)[] {
  const received: (string | undefined)[] = [];
  live.listen(topic, (message) => received.push(message));
  return received;
}

test("a sealed message opens only with its key, and only unchanged", () => {
  const seal = createMessageSeal("one secret");
  const sealed = seal.close("the text 😀");
  expect(sealed).not.toContain("text");
  expect(seal.close("the text 😀")).not.toBe(sealed);
  expect(seal.open(sealed)).toBe("the text 😀");
  expect(createMessageSeal("another").open(sealed)).toBeUndefined();
  const bytes = Buffer.from(sealed, "base64");
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(seal.open(changed.toString("base64"))).toBeUndefined();
  }
  for (const text of ["", "x", "the text"]) expect(seal.open(text)).toBeUndefined();
});

describe.skipIf(postgresUrl === undefined)("live messages over PostgreSQL", () => {
  test("reach the listeners of their topic in their order, up to the greatest length", async () => {
    const schema = newSchema();
    const [one, other] = [await open({ url, schema }), await open({ url, schema })];
    const received = collect(one, "news");
    const elsewhere = collect(one, "other news");
    const messages = Array.from({ length: 50 }, (_, at) => `${at} ${"ü".repeat(2900)}`);
    await expect
      .poll(async () => {
        await other.live.send("news", ["begin"]);
        return received.length;
      }, poll)
      .toBeGreaterThan(0);
    received.length = 0;
    await other.live.send("news", messages);
    await expect.poll(() => received.filter((text) => text !== "begin"), poll).toEqual(messages);
    expect(Buffer.byteLength(messages.at(-1) ?? "")).toBeGreaterThan(one.live.maxBytes - 100);
    expect(elsewhere).toEqual([]);
  });

  test("are refused while the table has no key, and not sealed with a publicly known one", async () => {
    const schema = newSchema();
    const { live } = await open({ url, schema });
    const client = new Client(url);
    await client.connect();
    onTestFinished(async () => await client.end());
    await client.query(`DELETE FROM ${schema}.live_key`);
    await expect(live.send("news", ["text"])).rejects.toMatchObject({
      code: "registry-unavailable",
      message: expect.stringContaining("the table is empty") as string,
    });
    await client.query(`INSERT INTO ${schema}.live_key VALUES ('a new one')`);
    await live.send("news", ["text"]);
  });

  test("can be neither read nor sent by a user who may not read the tables", async () => {
    const schema = newSchema();
    const [one, other] = [await open({ url, schema }), await open({ url, schema })];
    const received = collect(one, "news");
    await expect
      .poll(async () => {
        await other.live.send("news", ["begin"]);
        return received.length;
      }, poll)
      .toBeGreaterThan(0);
    const client = new Client(url);
    await client.connect();
    onTestFinished(async () => await client.end());
    const name = `cadre:${createHash("sha256").update(`${schema} news`).digest("hex").slice(0, 40)}`;
    const seen: string[] = [];
    client.on("notification", ({ payload = "" }) => seen.push(payload));
    await client.query(`LISTEN "${name}"`);
    await client.query("SELECT pg_notify($1, 'forged')", [name]);
    await client.query("SELECT pg_notify($1, $2)", [
      name,
      createMessageSeal("guess").close("forged"),
    ]);
    await other.live.send("news", ["the secret text"]);
    await expect.poll(() => received.at(-1), poll).toBe("the secret text");
    await expect.poll(() => seen, poll).toHaveLength(3);
    expect(received).not.toContain("forged");
    expect(Buffer.from(seen[2] ?? "", "base64").toString()).not.toContain("secret");
  });

  test("may be lost in an outage, of which the listeners are notified; later ones arrive", async () => {
    const proxy = await startProxy(url);
    onTestFinished(proxy.close);
    const schema = newSchema();
    const other = await open({ url, schema });
    const one = await open({ url: proxy.url, schema });
    const received = collect(one, "news");
    const sendUntilReceived = async (text: string): Promise<void> =>
      await expect
        .poll(async () => {
          await other.live.send("news", [text]);
          return received.includes(text);
        }, poll)
        .toBe(true);
    await sendUntilReceived("first");
    expect(received).not.toContain(undefined);
    proxy.cut();
    await other.live.send("news", ["lost"]);
    proxy.open();
    await sendUntilReceived("second");
    expect(received).toContain(undefined);
    expect(received).not.toContain("lost");
  });
});
