import type { Config } from "../../config/config.ts";
import { CadreError } from "../../errors.ts";
import type { PostgresOptions } from "../../registry/postgres/connection/postgres-options.ts";
import type { RegistrySource } from "../../registry/registry-source.ts";

/**
 * Returns the source of the PostgreSQL registry that the configuration names.
 *
 * @throws CadreError `config-invalid` when it names none.
 */
export async function configuredSource(
  { registry: { url, schema } }: Pick<Config, "registry">,
  options: Pick<PostgresOptions, "connections"> = {},
): Promise<RegistrySource> {
  if (url === undefined) {
    const message =
      "Expected `registry.url` or CADRE_REGISTRY_URL to be the address of a PostgreSQL database, which the workers share; none is set.";
    throw new CadreError("config-invalid", message);
  }
  const { postgres } = await import("../../registry/postgres/postgres.ts");
  return postgres({ url, schema, ...options });
}
