import { CadreError } from "../../../errors.ts";
import { codeOf, isPassing } from "../../../registry/postgres/connection/postgres-error.ts";
import { errorMessage } from "../../../error-message.ts";

/** The tables of DBOS that belong to a registry. */
export function queueTables({ schema }: { schema: string }): { schema: string; name: string } {
  return { schema: `${schema}_dbos`, name: `${schema}_dbos` };
}

/** Converts an error of the queue to an error that says what to do. */
export function toQueueError(error: unknown, name: string): unknown {
  if (error instanceof CadreError) return error;
  const reason = errorMessage(error);
  const message = describe(error, { reason, name });
  if (message === undefined) return error;
  return new CadreError("registry-unavailable", `${message} (${reason})`, { cause: error });
}

function describe(
  error: unknown,
  { reason, name }: { reason: string; name: string },
): string | undefined {
  const code = codeOf(error);
  if (code === "42501" || /permission denied/.test(reason)) {
    return `This user may not use the tables of the queue. Give it the rights: GRANT USAGE on the schema ${name}, and SELECT, INSERT, UPDATE and DELETE on its tables.`;
  }
  if (["42P01", "3F000", "42703"].includes(code) || /does not exist/.test(reason)) {
    return `The tables of the queue (schema ${name}) are missing or outdated. Create them with \`cadre db migrate\`.`;
  }
  if (code === "55P03" || /lock timeout/.test(reason)) {
    return `A transaction of another program held up the migration of the queue (schema ${name}) for too long. End it (SELECT pid, application_name, query FROM pg_stat_activity ORDER BY xact_start), and run \`cadre db migrate\` again.`;
  }
  if (!isPassing(error)) return undefined;
  return `The server of the queue (schema ${name}) cannot be reached. Start it, or correct the address.`;
}
