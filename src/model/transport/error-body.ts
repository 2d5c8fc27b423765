import { isRecord, parseJson } from "../../source/json.ts";

/** The maximum length of an error body, in bytes. A longer body is not an error. */
const maxErrorBytes = 65_536;
/** The fields that hold a reply in the supported protocols. */
const replyFields = ["choices", "content", "candidates", "output"] as const;

/** Error names of providers, with their HTTP status. The first match is used. */
const statuses: readonly [RegExp, number][] = [
  [/overloaded/i, 529],
  [/insufficient_quota|billing|credit/i, 402],
  [/rate.?limit|resource_exhausted|too_many_requests/i, 429],
  [/authentication|unauthenticated|invalid_api_key|unauthorized/i, 401],
  [/permission|forbidden/i, 403],
  [/not_found/i, 404],
  [/too_large|context_length/i, 413],
  [/unavailable/i, 503],
  [/timeout|deadline/i, 504],
  [/^internal|server_error|api_error/i, 500],
  [/invalid|failed_precondition|out_of_range|unsupported|bad_request/i, 400],
];

/**
 * Reads an error from a body with status 200, as gateways send them. Returns the proper status, and the error in the form that
 * providers' clients read; `null` for any other body.
 */
export function readErrorBody(body: Uint8Array): { status: number; body: Uint8Array } | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length > maxErrorBytes || !bytes.toString("latin1").includes('"error"')) return null;
  const value = parseJson(bytes.toString());
  const whole: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(whole) || replyFields.some((field) => hasItems(whole[field]))) return null;
  // OpenAI's Responses API sends the error as the event itself.
  const error = whole["type"] === "error" && whole["error"] === undefined ? whole : whole["error"];
  const isError = isRecord(error) || (typeof error === "string" && error !== "");
  if (!isError) return null;
  const record = isRecord(error) ? error : { message: error };
  return {
    status: statusOfError(record) ?? 500,
    body: Buffer.from(JSON.stringify({ type: "error", error: record })),
  };
}

/** Returns the HTTP status of a provider's error object; `null` when it is unknown. */
export function statusOfError(error: unknown): number | null {
  if (!isRecord(error)) return null;
  const { code, status, type, message } = error;
  const number = [code, status].map(Number).find((value) => value >= 400 && value < 600);
  if (number !== undefined) return number;
  const names = [code, type, status].filter((name) => typeof name === "string");
  const found = [...names, message].map((name) =>
    statuses.find(([pattern]) => typeof name === "string" && pattern.test(name)),
  );
  return found.find((entry) => entry !== undefined)?.[1] ?? null;
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
