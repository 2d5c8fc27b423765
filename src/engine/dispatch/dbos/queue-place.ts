import { CadreError } from "../../../errors.ts";
import { codeOf, isPassing } from "../../../registry/postgres/connection/postgres-error.ts";

/** The tables of DBOS that belong to a registry. */
export function queuePlace({ schema }: { schema: string }): { schema: string; name: string } {
  return { schema: `${schema}_dbos`, name: `${schema}_dbos` };
}

/** Converts an error of the queue to one that says what to do. */
export function toQueueError(error: unknown, name: string): unknown {
  if (error instanceof CadreError) return error;
  const said = error instanceof Error ? error.message : String(error);
  const isMissing =
    ["42P01", "3F000", "42703"].includes(codeOf(error)) || /does not exist/.test(said);
  if (!isMissing && !isPassing(error)) return error;
  const message = isMissing
    ? `The tables of the queue (schema ${name}) are missing or old. Create them with \`cadre db migrate\`.`
    : `The server of the queue (schema ${name}) cannot be reached. Start it, or correct the address.`;
  return new CadreError("registry-unavailable", `${message} (${said})`, { cause: error });
}
