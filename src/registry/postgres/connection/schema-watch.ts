import { refuseNewer } from "./check-server.ts";
import { postgresMigrations } from "./schema.ts";

/** What an open registry knows of the tables, which a newer Cadre may migrate at any time. */
export interface SchemaWatch {
  /** Takes the schema version that a statement returned. */
  saw(version: unknown): void;
  /** @throws CadreError `registry-newer` when a newer Cadre has migrated the tables. */
  refuseNewer(): void;
}

/** Creates the {@link SchemaWatch} of the registry `name`. */
export function createSchemaWatch(name: string): SchemaWatch {
  let latest = 0;
  return {
    saw: (version) => void (latest = Number(version)),
    refuseNewer: () => refuseNewer(latest, postgresMigrations.length, name),
  };
}
