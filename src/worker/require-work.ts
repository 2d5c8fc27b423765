import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { WorkTable } from "../registry/work-table.ts";

/**
 * Returns the work table of a registry.
 *
 * @throws CadreError `config-invalid` for a registry of one machine.
 */
export function requireWork({ work }: Pick<Registry, "work">): WorkTable {
  if (work !== undefined) return work;
  const message =
    "Expected a registry in PostgreSQL, which workers share; got a registry on this machine. Pass `registry: postgres({ url })` of cadre/postgres.";
  throw new CadreError("config-invalid", message);
}
