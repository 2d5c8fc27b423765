import type * as dbos from "@dbos-inc/dbos-sdk";
import { CadreError } from "../../../errors.ts";
import { describeMissingPackage } from "../../../missing-package.ts";

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
  const missing = describeMissingPackage("Workers need", "@dbos-inc/dbos-sdk", 5);
  throw new CadreError("config-invalid", `${missing}, then run \`cadre db migrate\`.`);
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
