import type pg from "pg";
import { CadreError } from "../../../errors.ts";

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
    const message =
      "A registry in PostgreSQL needs the package pg, version 8, which is not installed beside Cadre. Install it with `npm install pg`.";
    throw new CadreError("registry-unavailable", message, { cause: error });
  }
}
