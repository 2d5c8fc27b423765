import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { postgresUrl } from "../../../../test/fixtures/postgres/test-schema.ts";
import { type ElementType, toArrayParameter } from "./array-parameter.ts";

/** Returns what the server reads, as it writes it. */
async function readBack(type: ElementType, values: readonly unknown[]): Promise<unknown> {
  const client = new Client(postgresUrl ?? "");
  await client.connect();
  try {
    const text = `SELECT to_json($1::${type}[])::text AS read`;
    const { rows } = await client.query<{ read: string }>(text, [toArrayParameter(type, values)]);
    return JSON.parse(rows[0]?.read ?? "");
  } finally {
    await client.end();
  }
}

describe.skipIf(postgresUrl === undefined)("an array is read by the server", () => {
  test.each([
    ["text" as const, ["", "a", null, '"\\{},', "zwölf 🙂", "NULL", "x".repeat(100_000)]],
    ["text" as const, []],
    ["int" as const, [0, 2 ** 31 - 1, -(2 ** 31), null]],
    ["bigint" as const, [0, -1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, null]],
    ["bigint" as const, []],
  ])("of the type %s as it is", async (type, values) => {
    expect(await readBack(type, values)).toEqual(values);
  });

  test("of texts that it cannot store, with a sign in the place of each such character", async () => {
    expect(await readBack("text", ["a\0b", "a\ud800b"])).toEqual(["a\ufffdb", "a\ufffdb"]);
  });
});
