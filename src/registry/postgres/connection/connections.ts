import type { Client, ClientConfig, Pool } from "pg";
import { loadPg, type Pg } from "./load-pg.ts";
import type { CheckedPostgresOptions } from "./postgres-options.ts";

/** A row of a result. */
export type Row = Record<string, unknown>;

/** The connections of one registry to its server. */
export interface Connections {
  pool: Pool;
  /** Opens one connection outside the pool. */
  connect(): Promise<Client>;
}

/** How long a connection or a statement may take before the connection counts as broken, in milliseconds. */
const answerMs = 30_000;
const connectMs = 10_000;

/** PostgreSQL's `bigint`, which `pg` returns as a string. Cadre's times and numbers are below 2^53. */
const ownParsers: ReadonlyMap<number, (text: string) => number> = new Map([[20, Number]]);

/** Creates the connections. Each is opened on first use. */
export async function createConnections(options: CheckedPostgresOptions): Promise<Connections> {
  const pg = await loadPg();
  const config: ClientConfig = {
    connectionString: options.url,
    application_name: "cadre",
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    types: createTypeParsers(pg),
  };
  const pool = new pg.Pool({ ...config, max: options.connections, allowExitOnIdle: true });
  // The pool replaces a connection that ends while idle. The next statement reports an unreachable server.
  pool.on("error", () => undefined);
  return {
    pool,
    async connect() {
      const client = new pg.Client(config);
      client.on("error", () => undefined);
      await client.connect();
      return client;
    },
  };
}

function createTypeParsers({ types }: Pg): NonNullable<ClientConfig["types"]> {
  return {
    getTypeParser: (type, format) =>
      ownParsers.get(type) ?? types.getTypeParser(type, format === "text" ? format : undefined),
  };
}
