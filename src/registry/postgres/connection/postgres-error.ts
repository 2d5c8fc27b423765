import { CadreError } from "../../../errors.ts";
import { DamagedContent } from "../../damaged-content.ts";

/** Network errors that show a wrong address or an unreachable server. */
const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);

/**
 * Passing errors of the server: it is shutting down or starting, has no free connection, or ended one of two transactions that
 * waited for each other.
 */
const passingStates: ReadonlySet<string> = new Set([
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "53300",
  "40001",
  "40P01",
]);

/** The messages of `pg`, without a code, for a connection that ended or did not answer in time. */
const brokenConnection =
  /Connection terminated|timeout|Client has encountered a connection error|not queryable|server closed the connection/i;

/** Returns the SQLSTATE of a server error, or the code of a network error. */
export function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  // A host name with several addresses fails with the errors of all of them.
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : "";
}

/** Reports whether the server could not be reached, or the statement may succeed on a retry. */
export function isPassing(error: unknown): boolean {
  if (error instanceof CadreError) return false;
  const code = codeOf(error);
  if (code !== "") {
    return networkCodes.has(code) || passingStates.has(code) || code.startsWith("08");
  }
  return error instanceof Error && brokenConnection.test(error.message);
}

/** Reports whether the error shows an unreachable server, not only a busy one. */
export function isOutage(error: unknown): boolean {
  return isPassing(error) && !["40001", "40P01", "53300"].includes(codeOf(error));
}

/** Converts an error to one that states the problem of the registry `name` and what to do. */
export function toPostgresError(error: unknown, name: string): CadreError {
  if (error instanceof CadreError) return error;
  const message = error instanceof Error && error.message !== "" ? error.message : codeOf(error);
  return new CadreError("registry-unavailable", `${describe(error, name)} (${message})`, {
    details: { registry: name, code: codeOf(error) },
    cause: error,
  });
}

const kept = "Everything recorded so far is kept";

const messages: Readonly<Record<string, (name: string) => string>> = {
  "28P01": (name) =>
    `The server refuses the user or the password of the registry ${name}. Correct the address.`,
  "28000": (name) =>
    `The server does not let this user connect to the registry ${name}. Correct the address, or allow the connection in the server's pg_hba.conf.`,
  "3D000": (name) =>
    `The database of the registry ${name} does not exist. Create it with \`createdb\`, then run \`cadre db migrate\`.`,
  "42501": (name) =>
    `This user lacks rights in the registry ${name}. Give it the rights: GRANT USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on its tables; \`cadre db migrate\` needs CREATE on the database.`,
  "42P01": (name) =>
    `A table is missing in the registry ${name}. Restore a backup, or run \`cadre db migrate\` in an empty schema.`,
  "53100": (name) =>
    `The disk of the server of the registry ${name} is full. ${kept}: free some space, then continue with \`cadre resume\`.`,
  "25006": (name) =>
    `The server of the registry ${name} can be read, but not written: it is a standby, or read-only. Use the address of the primary server.`,
  "53300": (name) =>
    `The server of the registry ${name} has no free connection. Close others, or raise its max_connections.`,
};

function describe(error: unknown, name: string): string {
  if (error instanceof DamagedContent) {
    return `The registry ${name} is damaged. It is unchanged: restore a backup.`;
  }
  const code = codeOf(error);
  const message = messages[code];
  if (message !== undefined) return message(name);
  if (isPassing(error)) {
    return `The server of the registry ${name} cannot be reached. ${kept}: start it, or correct the address, then continue with \`cadre resume\`.`;
  }
  return `The registry ${name} reports an error. ${kept}: correct the cause, then continue with \`cadre resume\`.`;
}
