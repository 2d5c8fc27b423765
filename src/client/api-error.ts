import type { CadreErrorCode } from "../errors.ts";
import type { ServerProblemCode } from "./answers.ts";

/** The code of an {@link ApiError}: one of Cadre, one of the server, or `unreachable` when the server did not answer. */
export type ApiErrorCode = CadreErrorCode | ServerProblemCode | "unreachable";

/** The details of an {@link ApiError} besides its message. */
export interface ApiErrorDetails {
  code: ApiErrorCode;
  status: number;
  details?: Readonly<Record<string, unknown>> | undefined;
  errors?: readonly { pointer: string; detail: string }[] | undefined;
}

/** A request that the server refused, or that did not reach it. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** The invalid fields of the request: a JSON Pointer into its body, or the name of a parameter. */
  readonly errors: readonly { pointer: string; detail: string }[];

  constructor(message: string, { code, status, details = {}, errors = [] }: ApiErrorDetails) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.details = details;
    this.errors = errors;
  }
}
