import { Client } from "pg";
import { describe } from "vitest";
import { newSchema, postgresUrl } from "../../../test/fixtures/postgres/test-schema.ts";
import { testRegistry } from "../../../test/fixtures/registry/registry-contract.ts";
import { readPostgresOptions } from "./connection/postgres-options.ts";
import { openPostgresRegistry } from "./postgres-registry.ts";

describe.skipIf(postgresUrl === undefined)("PostgreSQL", () => {
  testRegistry("the registry in a schema of PostgreSQL", () => {
    const url = postgresUrl ?? "";
    const address = readPostgresOptions({ url, schema: newSchema(), migrate: true });
    return {
      open: async () => openPostgresRegistry({ address }),
      async lose({ ownerId }) {
        const client = new Client(url);
        await client.connect();
        await client.query(`DELETE FROM ${address.quoted}.owners WHERE id = $1`, [ownerId]);
        await client.end();
      },
    };
  });
});
