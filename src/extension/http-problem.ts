import { SdkHttpError } from "@modelcontextprotocol/client";
import { isRecord } from "../source/json.ts";
import { plainLine } from "./plain-text.ts";

const meanings: Readonly<Record<number, string>> = {
  401: "it wants to know who asks (HTTP 401); give it a header such as `Authorization: Bearer ${TOKEN}`, with TOKEN in environmentKeys",
  403: "it refuses access (HTTP 403); check the rights of the token in its headers",
  404: "there is nothing at its URL (HTTP 404); check the path",
  405: "its URL does not take messages (HTTP 405); a server that speaks SSE only is not supported",
};

/** Whether a server that was greeted before says that it does not know us. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(bodyOf(error)));
}

/** What went wrong between us and a server over HTTP, as in `it cannot be reached (ECONNREFUSED)`. */
export function describeHttpProblem(error: unknown): string {
  if (error instanceof SdkHttpError) {
    const meaning = meanings[error.status] ?? `it answered with HTTP ${error.status}`;
    return `${meaning}${quote(error)}`;
  }
  const code = networkCode(error, 5);
  if (code !== null) return `it cannot be reached (${code})`;
  return plainLine(error instanceof Error ? error.message : String(error), 500);
}

function quote(error: SdkHttpError): string {
  const said = /redirect/i.test(error.message) ? error.message : bodyOf(error);
  return said === "" ? "" : `; it said: ${plainLine(said, 300)}`;
}

function bodyOf({ data }: SdkHttpError): string {
  return typeof data.text === "string" ? data.text : "";
}

/** The code of the system at the bottom of an error, such as ECONNREFUSED. */
function networkCode(error: unknown, depth: number): string | null {
  if (!isRecord(error) || depth === 0) return null;
  const inner = networkCode(error["cause"], depth - 1);
  if (inner !== null) return inner;
  const { code } = error;
  return typeof code === "string" && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code) ? code : null;
}
