import { CadreError } from "../../errors.ts";
import { damagedDatabase, foreignDatabase } from "./registry-error.ts";
import { migrations } from "./schema.ts";

/** The version and tables of a database. */
export interface Inspection {
  /** Its `user_version`: the number of applied migrations. */
  version: number;
  tables: readonly string[];
}

/** The tables of version 1, and the tables that later versions added. */
const firstTables = ["runs", "events", "definitions", "owners", "requests"];
const laterTables = [
  { table: "cache", since: 2 },
  { table: "conversations", since: 6 },
];

/** A version above this indicates damage, not a newer Cadre. */
const maxVersions = 1000;

/**
 * Refuses a database that is not a registry of this version or an earlier one.
 *
 * @throws CadreError `registry-unavailable` for a database that is damaged or belongs to another program; `registry-newer` for a
 * database of a newer Cadre.
 */
export function checkTables({ version, tables }: Inspection, path: string): void {
  if (version === 0 && tables.length === 0) return;
  const found = firstTables.filter((table) => tables.includes(table));
  if (found.length > 0 && version > migrations.length && version <= maxVersions) {
    throw newer(version, path);
  }
  if (found.length < 2) throw foreignDatabase(path);
  if (version < 1 || version > maxVersions) {
    throw damagedDatabase(path, `its schema version is ${version}`);
  }
  const wanted = laterTables.filter(({ since }) => version >= since).map(({ table }) => table);
  const missing = [...firstTables, ...wanted].filter((table) => !tables.includes(table));
  if (missing.length > 0) {
    throw damagedDatabase(path, `there is no table ${missing.join(", ")}`);
  }
}

function newer(version: number, path: string): CadreError {
  const message = `The registry ${path} has schema version ${version}; this Cadre reads up to ${migrations.length}. Use the newer Cadre that wrote it, or point CADRE_STATE_DIR at another folder.`;
  return new CadreError("registry-newer", message, { details: { path, version } });
}
