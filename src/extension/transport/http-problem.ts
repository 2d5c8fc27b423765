import { SdkHttpError } from "@modelcontextprotocol/client";
import { isRecord } from "../../source/json.ts";
import { plainLine } from "../plain-text.ts";
import { errorMessage } from "../../error-message.ts";

const meanings: Readonly<Record<number, string>> = {
  401: "it requires authentication (HTTP 401); add a header such as `Authorization: Bearer ${TOKEN}`, with TOKEN in environmentKeys",
  403: "it refuses access (HTTP 403); check the rights of the token in its headers",
  404: "there is nothing at its URL (HTTP 404); check the path",
  405: "its URL does not accept messages (HTTP 405); servers with SSE only are not supported",
};

/** Reports whether a server responded that it does not know the session. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(bodyOf(error)));
}

/** Describes a failed request to a server over HTTP, such as `it cannot be reached (ECONNREFUSED)`. */
export function describeHttpProblem(error: unknown): string {
  if (error instanceof SdkHttpError) {
    const meaning = meanings[error.status] ?? `it answered with HTTP ${error.status}`;
    return `${meaning}${quote(error)}`;
  }
  const code = networkCode(error, 5);
  if (code !== null) return `it cannot be reached (${code})`;
  return plainLine(errorMessage(error), 500);
}

function quote(error: SdkHttpError): string {
  const reason = /redirect/i.test(error.message) ? error.message : bodyOf(error);
  return reason === "" ? "" : `; it said: ${plainLine(reason, 300)}`;
}

function bodyOf({ data }: SdkHttpError): string {
  return typeof data.text === "string" ? data.text : "";
}

/** Returns the system's code of an error or of its innermost cause, such as ECONNREFUSED. */
function networkCode(error: unknown, depth: number): string | null {
  if (!isRecord(error) || depth === 0) return null;
  const inner = networkCode(error["cause"], depth - 1);
  if (inner !== null) return inner;
  const { code } = error;
  return typeof code === "string" && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code) ? code : null;
}
