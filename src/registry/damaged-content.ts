import { CadreError } from "../errors.ts";

/** Thrown for a stored value that Cadre cannot have written. */
export class DamagedContent extends Error {}

/** Reports whether a registry threw this error because a stored value is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof CadreError && error.cause instanceof DamagedContent;
}
