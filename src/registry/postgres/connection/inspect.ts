import type { ServerState } from "./check-server.ts";
import type { Row } from "./connections.ts";

/** Executes one statement. */
export type Execute = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Reads what {@link requireUsableServer} checks. `quoted` is the schema's name as an identifier. */
export async function inspectServer(execute: Execute, quoted: string): Promise<ServerState> {
  const [server] = await execute(
    `SELECT current_setting('server_version_num')::int AS version,
        pg_encoding_to_char(encoding) AS encoding,
        to_regclass($1) IS NOT NULL AS has_version
      FROM pg_database WHERE datname = current_database()`,
    [`${quoted}.schema_version`],
  );
  const state = {
    version: Number(server?.["version"]),
    encoding: String(server?.["encoding"]),
  };
  if (server?.["has_version"] !== true) return { ...state, schemaVersion: 0, isRestored: false };
  const [schema] = await execute(
    `SELECT (SELECT max(version) FROM ${quoted}.schema_version) AS version,
        COALESCE((SELECT xid FROM ${quoted}.events ORDER BY xid DESC LIMIT 1)
          >= pg_snapshot_xmax(pg_current_snapshot()), false) AS is_restored`,
  );
  return {
    ...state,
    schemaVersion: Number(schema?.["version"] ?? 0),
    isRestored: schema?.["is_restored"] === true,
  };
}
