/** A registry in PostgreSQL (`cadre/postgres`). */
export { postgres } from "./registry/postgres/postgres.ts";
export type { PostgresOptions } from "./registry/postgres/connection/postgres-options.ts";
export { migratePostgres, type MigratedSchema } from "./registry/postgres/connection/migrate.ts";
export type { RegistrySource } from "./registry/registry-source.ts";
