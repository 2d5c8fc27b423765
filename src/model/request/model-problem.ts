import { CadreError } from "../../errors.ts";
import { isRecord } from "../../source/json.ts";
import { StreamCutError } from "./collect-stream.ts";
import { RequestStalledError } from "./request-watch.ts";
import { retryAfterMs } from "./retry-after.ts";
import { statusOfError } from "../transport/error-body.ts";

/** The kind of a failed call, for programs. */
export type ModelProblemKind =
  | "rate-limited"
  | "overloaded"
  | "server-error"
  | "network"
  | "stalled"
  | "certificate"
  | "truncated"
  | "malformed"
  | "empty"
  | "abnormal-finish"
  | "context-overflow"
  | "out-of-credit"
  | "key-refused"
  | "forbidden"
  | "not-found"
  | "redirected"
  | "bad-request";

/** One failed call to a model. */
export interface ModelProblem {
  kind: ModelProblemKind;
  /** The HTTP status; `null` when no response arrived. */
  status: number | null;
  isRetryable: boolean;
  /** Whether the provider was reached, or may have been. */
  isConnected: boolean;
  /** The wait that the provider requested, in milliseconds. */
  retryAfterMs: number | null;
  /** The message of the provider or the network. */
  text: string;
}

const overflow =
  /prompt is too long|input is too long|context[_ -]?(?:length|window|size|limit)|maximum context|too many (?:input )?tokens|input token count|request_too_large|exceeds? the (?:model'?s )?(?:maximum|available|limit)[^.]*tokens/i;
const credit =
  /insufficient_quota|exceeded your current quota|credit balance|billing_error|out of credits?|payment required/i;
const network =
  /^(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR_\w+|HPE_\w+|Z_\w+|ERR_STREAM_PREMATURE_CLOSE)$/;
/** Network errors that occur before the request is sent. */
const unconnected =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;
const certificate = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY/;

/**
 * Classifies the error of a provider's client. Reads fields and messages instead of classes, because clients wrap errors and the
 * errors of a stream are plain objects.
 * A {@link CadreError} in the chain is final and is thrown again.
 */
export function readProblem(error: unknown): ModelProblem {
  const chain = chainOf(error);
  const final = chain.find((link) => link instanceof CadreError);
  if (final !== undefined) throw final;
  const text = textOf(chain);
  const status = chain.map((link) => numberAt(link, "statusCode")).find((code) => code !== null);
  const code = chain.map((link) => stringAt(link, "code")).find((name) => isTransport(name)) ?? "";
  const wait = chain.map((link) => retryAfterMs(link)).find((value) => value !== null) ?? null;
  const isConnected = !unconnected.test(code);
  const problem = { status: status ?? null, isConnected, retryAfterMs: wait, text };
  // A response with status 200 can still break off. The transport error then decides.
  if (code !== "" && (status === undefined || status < 300)) {
    return certificate.test(code)
      ? { ...problem, kind: "certificate", isRetryable: false }
      : { ...problem, kind: "network", isRetryable: true };
  }
  if (chain.some((link) => link instanceof RequestStalledError)) {
    return { ...problem, kind: "stalled", isRetryable: true };
  }
  if (chain.some((link) => link instanceof StreamCutError)) {
    return { ...problem, kind: "truncated", isRetryable: true };
  }
  if (status !== undefined && status >= 300) return withStatus({ ...problem, status });
  // An error in the middle of a stream has a name instead of a status.
  const named = chain[0] instanceof Error ? null : statusOfError(chain[0]);
  return named === null ? withoutStatus(problem, chain) : withStatus({ ...problem, status: named });
}

type Found = Omit<ModelProblem, "kind" | "isRetryable">;

function withStatus(found: Found & { status: number }): ModelProblem {
  const { status, text } = found;
  const final = (kind: ModelProblemKind): ModelProblem => ({ ...found, kind, isRetryable: false });
  const passing = (kind: ModelProblemKind): ModelProblem => ({ ...found, kind, isRetryable: true });
  if (status === 402 || ((status === 429 || status < 500) && credit.test(text))) {
    return final("out-of-credit");
  }
  if (status === 413 || (status < 500 && status >= 400 && status !== 429 && overflow.test(text))) {
    return final("context-overflow");
  }
  if (status === 429) return passing("rate-limited");
  if (status === 529 || status === 503) return passing("overloaded");
  if (status >= 500)
    return overflow.test(text) ? final("context-overflow") : passing("server-error");
  if (status === 408 || status === 409) return passing("server-error");
  if (status === 401) return final("key-refused");
  if (status === 403) return final("forbidden");
  if (status === 404) return final("not-found");
  return final(status < 400 ? "redirected" : "bad-request");
}

/** Classifies an unreadable answer, or an error in the middle of a stream. */
function withoutStatus(found: Found, chain: readonly unknown[]): ModelProblem {
  if (overflow.test(found.text)) return { ...found, kind: "context-overflow", isRetryable: false };
  if (credit.test(found.text)) return { ...found, kind: "out-of-credit", isRetryable: false };
  const refusal = /Unsupported|InvalidPrompt|InvalidArgument|LoadAPIKey|LoadSetting/;
  if (chain.some((link) => refusal.test(stringAt(link, "name")))) {
    return { ...found, kind: "bad-request", isRetryable: false };
  }
  if (/overloaded/i.test(found.text)) return { ...found, kind: "overloaded", isRetryable: true };
  return { ...found, kind: "malformed", isRetryable: true };
}

/** Returns the error and its causes, at most ten and without cycles. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let link = error;
  while (link !== undefined && link !== null && chain.length < 10 && !chain.includes(link)) {
    chain.push(link);
    link =
      isRecord(link) || link instanceof Error ? (link as { cause?: unknown }).cause : undefined;
  }
  return chain;
}

/** Returns the messages, with the body if it adds information. Cuts the text, because a proxy may send a whole page. */
function textOf(chain: readonly unknown[]): string {
  const all = chain.map((link) => stringAt(link, "message")).filter((text) => text !== "");
  // Clients often repeat the message of the cause in their own.
  const messages = all.filter((text, at) => !all.slice(0, at).some((one) => one.includes(text)));
  const body =
    chain.map((link) => stringAt(link, "responseBody")).find((text) => text !== "") ?? "";
  const spoken = messages.length > 0 ? messages.join(": ") : plain(chain[0]);
  const missing = body !== "" && !all.some((message) => body.includes(message));
  const text = missing || messages.length === 0 ? `${spoken} ${body}` : spoken;
  return text.replace(/\s+/g, " ").trim().slice(0, 600);
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

function stringAt(link: unknown, key: string): string {
  const value = isRecord(link) ? link[key] : undefined;
  return typeof value === "string" ? value : "";
}

function numberAt(link: unknown, key: string): number | null {
  const value = isRecord(link) ? link[key] : undefined;
  return typeof value === "number" ? value : null;
}

function isTransport(code: string): boolean {
  return network.test(code) || certificate.test(code);
}
