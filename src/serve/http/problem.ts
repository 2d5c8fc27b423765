import { CadreError, type CadreErrorCode, type ServerProblemCode } from "../../host.ts";

/** A problem in the form of RFC 9457, with the media type `application/problem+json`. */
export interface Problem {
  /** The URN `urn:cadre:problem:CODE`. */
  type: string;
  /** The code in words. */
  title: string;
  status: number;
  detail: string;
  /** The code of a CadreError or of the server: see {@link serverProblems}. */
  code: string;
  details?: Readonly<Record<string, unknown>>;
  /** The invalid fields of a request: a JSON Pointer into the body, or the name of a parameter. */
  errors?: readonly { pointer: string; detail: string }[];
}

/** The problems that only a server reports, with their HTTP status. */
const serverProblems: Readonly<Record<ServerProblemCode, number>> = {
  "not-signed-in": 401,
  "host-not-allowed": 403,
  "origin-not-allowed": 403,
  "not-found": 404,
  "idempotency-key-reused": 422,
  "start-unknown": 409,
  "body-too-large": 413,
  "media-type-unsupported": 415,
  "too-many-streams": 503,
  internal: 500,
};

/** The HTTP status of each code of Cadre; 400 for all other codes. */
const statuses: Readonly<Partial<Record<CadreErrorCode, number>>> = {
  "agent-not-found": 404,
  "run-not-found": 404,
  "dependency-not-found": 404,
  "delegation-denied": 403,
  "not-trusted": 403,
  "definition-invalid": 422,
  "config-invalid": 422,
  "run-owned": 409,
  "lease-lost": 409,
  "already-answered": 409,
  "limit-exceeded": 429,
  "budget-exceeded": 429,
  "model-unavailable": 503,
  "model-error": 502,
  "tool-failed": 502,
  "tool-unavailable": 503,
  "registry-unavailable": 503,
  "registry-newer": 503,
  "timed-out": 504,
  closed: 503,
};

/** An error of the server that is reported as a problem. */
export class ServerProblem extends Error {
  readonly problem: Problem;

  constructor(code: ServerProblemCode, detail: string, more: Pick<Problem, "errors"> = {}) {
    super(detail);
    this.name = "ServerProblem";
    this.problem = { ...describeProblem(code, serverProblems[code], detail), ...more };
  }
}

/** Describes a request with invalid fields. */
export function invalidRequest(errors: NonNullable<Problem["errors"]>): Problem {
  const lines = errors.map(({ pointer, detail }) => `${pointer || "the request"}: ${detail}`);
  const detail = `Expected a valid request. ${lines.join("; ")}`;
  return { ...describeProblem("invalid-argument", 400, detail), errors };
}

/** Converts an error of a handler to a problem. Only an unexpected error is `internal`, and it does not reveal its cause. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ServerProblem) return error.problem;
  if (error instanceof CadreError) {
    const { code, message, details } = error;
    const hasDetails = Object.keys(details).length > 0;
    return {
      ...describeProblem(code, statuses[code] ?? 400, message),
      ...(hasDetails && { details }),
    };
  }
  const detail = "The server failed; its output has the error. You may repeat the request.";
  return describeProblem("internal", serverProblems.internal, detail);
}

/** Sends a problem. */
export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

function describeProblem(code: string, status: number, detail: string): Problem {
  const title = code.replaceAll("-", " ");
  return { type: `urn:cadre:problem:${code}`, title, status, detail, code };
}
