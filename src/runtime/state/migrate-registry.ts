import type { Config } from "../../config/config.ts";
import { CadreError } from "../../errors.ts";
import type { MigratedSchema } from "../../registry/postgres/connection/migrate.ts";

/** The result of {@link migrateRegistry}. */
export interface MigratedRegistry extends MigratedSchema {
  /** Whether the tables of the workers' queue were also created or migrated, which requires DBOS Transact. */
  queue: boolean;
}

/**
 * Creates or migrates the tables of the registry that the configuration names, and of the queue of its workers.
 *
 * @throws CadreError `config-invalid` when it is not a registry in PostgreSQL: a file is migrated when it is opened;
 * `registry-unavailable`, or `registry-newer`.
 */
export async function migrateRegistry({
  registry: { url, schema },
}: Pick<Config, "registry">): Promise<MigratedRegistry> {
  if (url === undefined) {
    const message =
      "Expected `registry.url` or CADRE_REGISTRY_URL to be the address of a PostgreSQL database; none is set. A registry in a file is migrated when it is opened.";
    throw new CadreError("config-invalid", message);
  }
  const { migratePostgres } = await import("../../registry/postgres/connection/migrate.ts");
  const { migrateQueue } = await import("../../engine/dispatch/dbos/migrate-queue.ts");
  const migrated = await migratePostgres({ url, schema });
  return { ...migrated, queue: await migrateQueue({ url, schema }) };
}
