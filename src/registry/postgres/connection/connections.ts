import type { Client, ClientConfig, Pool } from "pg";
import { loadPg, type Pg } from "./load-pg.ts";
import type { CheckedPostgresOptions } from "./postgres-options.ts";

/** A row of a result. */
export type Row = Record<string, unknown>;

/** The connections of one registry to its server. */
export interface Connections {
  pool: Pool;
  /** Opens one connection apart from the pool. */
  connect(): Promise<Client>;
}

/** How long a connection or a statement may take before it counts as broken, in milliseconds. */
const answerMs = 30_000;
const connectMs = 10_000;

/** The type `bigint` of PostgreSQL, which `pg` returns as a text. Times and numbers of Cadre are below 2^53. */
const ownParsers: ReadonlyMap<number, (text: string) => number> = new Map([[20, Number]]);

/** Creates the connections; each is opened when it is needed. */
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
  // The pool replaces a connection that ends while it is idle; the next statement reports a server that is away.
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
