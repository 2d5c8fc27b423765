import { SdkHttpError } from "@modelcontextprotocol/client";
import { isRecord } from "../source/json.ts";
import { plainLine } from "./plain-text.ts";

const meanings: Readonly<Record<number, string>> = {
  401: "it wants to know who asks (HTTP 401); give it a header such as `Authorization: Bearer ${TOKEN}`, with TOKEN in environmentKeys",
  403: "it refuses access (HTTP 403); check the rights of the token in its headers",
  404: "there is nothing at its URL (HTTP 404); check the path",
  405: "its URL does not take messages (HTTP 405); a server that speaks SSE only is not supported",
};

/** The HTTP status an error is about, or `null`. */
export function httpStatus(error: unknown): number | null {
  return error instanceof SdkHttpError ? error.status : null;
}

/** What went wrong between us and a server over HTTP, as in `it cannot be reached (ECONNREFUSED)`. */
export function describeHttpProblem(error: unknown): string {
  const status = httpStatus(error);
  if (status !== null) {
    const meaning = meanings[status] ?? `it answered with HTTP ${status}`;
    return `${meaning}${quote(error)}`;
  }
  const code = networkCode(error, 5);
  if (code !== null) return `it cannot be reached (${code})`;
  return plainLine(error instanceof Error ? error.message : String(error), 500);
}

function quote(error: unknown): string {
  const text = error instanceof SdkHttpError ? error.data.text : undefined;
  const isRedirect = error instanceof Error && /redirect/i.test(error.message);
  const said = isRedirect ? error.message : typeof text === "string" ? text : "";
  return said === "" ? "" : `; it said: ${plainLine(said, 300)}`;
}

/** The code of the system at the bottom of an error, such as ECONNREFUSED. */
function networkCode(error: unknown, depth: number): string | null {
  if (!isRecord(error) || depth === 0) return null;
  const inner = networkCode(error["cause"], depth - 1);
  if (inner !== null) return inner;
  const { code } = error;
  return typeof code === "string" && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code) ? code : null;
}
