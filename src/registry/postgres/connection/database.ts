// Connections to PostgreSQL: pools, retries, checks and migrations.

import type { Client } from "pg";
import { requireCurrentSchema, requireUsableServer } from "./check-server.ts";
import { type Connections, createConnections, type Row } from "./connections.ts";
import { inspectServer } from "./inspect.ts";
import { migrateSchema } from "./migrate-schema.ts";
import { createPersistence } from "./persistence.ts";
import { toPostgresError } from "./postgres-error.ts";
import { refuseTransactionPooling } from "./refuse-transaction-pooling.ts";
import type { CheckedPostgresOptions } from "./postgres-options.ts";
import { postgresMigrations } from "./schema.ts";
import { omitUndefined } from "../../../omit-undefined.ts";

/** How a statement is executed. */
export interface QueryOptions {
  /** Prepares the statement under this name, once per connection. */
  name?: string;
  /** Whether the statement waits until the connection that receives notifications is ready. Default true. */
  isGated?: boolean;
}

/** The database of one registry. The first statement opens it. */
export interface Database {
  /**
   * Executes one statement as its own transaction. It is retried while the server cannot be reached, so executing a statement
   * twice must have no further effect.
   *
   * @throws CadreError `registry-unavailable`; the error of the server as its cause.
   */
  query(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]>;
  /** Opens a connection outside the pool. */
  connect(): Promise<Client>;
  /** Makes every later statement wait for `gate`. */
  waitFor(gate: Promise<unknown>): void;
  /** The milliseconds since the server became reachable again; `Infinity` when it was always reachable. */
  reachableMs(): number;
  /** Shortens the retries because the registry is closing. */
  hurry(): void;
  close(): Promise<void>;
}

/** Creates a database that connects on first use. */
export function connectLater(options: CheckedPostgresOptions): Database {
  let opened: Promise<Connections> | undefined;
  let gate: Promise<unknown> = Promise.resolve();
  const { persist, reachableMs, hurry } = createPersistence(options);

  async function open(): Promise<Connections> {
    opened ??= openConnections(options);
    try {
      return await opened;
    } catch (error) {
      // The next statement tries again.
      opened = undefined;
      throw error;
    }
  }

  async function execute(
    text: string,
    values: readonly unknown[],
    name: string | undefined,
  ): Promise<Row[]> {
    const { pool } = await open();
    const statement = { text, values: values.map(withoutNul), ...omitUndefined({ name }) };
    return (await pool.query<Row>(statement)).rows;
  }

  return {
    async query(text, values = [], { name, isGated = true } = {}) {
      if (isGated) await gate;
      try {
        return await persist(() => execute(text, values, name));
      } catch (error) {
        throw toPostgresError(error, options.name);
      }
    },
    connect: async () => await (await open()).connect(),
    waitFor: (next) => void (gate = next),
    reachableMs,
    hurry,
    async close() {
      await (await opened?.catch(() => undefined))?.pool.end();
    },
  };
}

/** Opens the connections of a registry. Checks the server and the schema over the first one. */
async function openConnections(options: CheckedPostgresOptions): Promise<Connections> {
  const connections = await createConnections(options);
  const client = await connections.connect();
  try {
    const execute = async (text: string, values: readonly unknown[] = []): Promise<Row[]> =>
      (await client.query<Row>(text, [...values])).rows;
    let state = await inspectServer(execute, options.quoted);
    requireUsableServer(state, options.name);
    if (options.migrate && state.schemaVersion < postgresMigrations.length) {
      await migrateSchema(client, options);
      state = await inspectServer(execute, options.quoted);
    }
    requireCurrentSchema(state, postgresMigrations.length, options.name);
    await refuseTransactionPooling(client, connections.pool, options.name);
    return connections;
  } catch (error) {
    await connections.pool.end();
    throw error;
  } finally {
    await client.end();
  }
}

/**
 * Text in PostgreSQL cannot contain NUL. Journals and states are JSON, which escapes it. It is removed from names, which are only
 * compared.
 */
function withoutNul(value: unknown): unknown {
  if (typeof value === "string")
    return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
  return Array.isArray(value) ? value.map(withoutNul) : value;
}
