import type pg from "pg";
import { CadreError } from "../../../errors.ts";
import { describeMissingPackage } from "../../../missing-package.ts";

/** The client library. */
export type Pg = typeof pg;

/**
 * Loads `pg`. Users install it beside Cadre, because only a registry in PostgreSQL needs it.
 *
 * @throws CadreError `registry-unavailable` when it is not installed.
 */
export async function loadPg(): Promise<Pg> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const missing = describeMissingPackage("A registry in PostgreSQL needs", "pg", 8);
    throw new CadreError("registry-unavailable", `${missing}.`, { cause: error });
  }
}
