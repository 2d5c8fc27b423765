import { CadreError } from "../../errors.ts";

/**
 * Checks the label of a worker.
 *
 * @throws CadreError `invalid-argument`.
 */
export function readLabel(label: unknown): string | undefined {
  if (label === undefined) return undefined;
  if (typeof label === "string" && /^[a-zA-Z0-9][\w.-]{0,62}$/.test(label)) return label;
  const message = `Expected the label of a worker to have at most 63 letters, digits, dots, dashes and underscores; got ${JSON.stringify(label)}.`;
  throw new CadreError("invalid-argument", message);
}
