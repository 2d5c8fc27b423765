import type * as dbos from "@dbos-inc/dbos-sdk";
import { CadreError } from "../../../errors.ts";

/** The package `@dbos-inc/dbos-sdk`. */
export type Dbos = typeof dbos;

/**
 * Loads DBOS Transact, which users install beside Cadre. Only workers and processes that submit runs need it.
 *
 * @throws CadreError `config-invalid` when it is not installed.
 */
export async function loadDbos(): Promise<Dbos> {
  const found = await findDbos();
  if (found !== undefined) return found;
  const message =
    "Workers need the package @dbos-inc/dbos-sdk, version 5, which is not installed beside Cadre. Install it with `npm install @dbos-inc/dbos-sdk`, then run `cadre db migrate`.";
  throw new CadreError("config-invalid", message);
}

/** Loads DBOS Transact; `undefined` when it is not installed. */
export async function findDbos(): Promise<Dbos | undefined> {
  try {
    return await import("@dbos-inc/dbos-sdk");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
