import { refuseNewer } from "./check-server.ts";
import { postgresMigrations } from "./schema.ts";

/** The latest known schema version of an open registry. A newer Cadre may migrate the tables at any time. */
export interface SchemaWatch {
  /** Stores the schema version that a statement returned. */
  update(version: unknown): void;
  /** @throws CadreError `registry-newer` when a newer Cadre has migrated the tables. */
  refuseNewer(): void;
}

/** Creates the {@link SchemaWatch} of the registry `name`. */
export function createSchemaWatch(name: string): SchemaWatch {
  let latest = 0;
  return {
    update: (version) => void (latest = Number(version)),
    refuseNewer: () => refuseNewer(latest, postgresMigrations.length, name),
  };
}
