/** A client of the HTTP API of `cadre serve`, for programs and browsers (`cadre/client`). */
export { ApiError, type ApiErrorCode } from "./client/api-error.ts";
export type { ApiClient, ApiClientOptions, RunQuery, StartOptions } from "./client/client.ts";
export { createClient } from "./client/create-client.ts";
export type {
  ApiProject,
  EvalFile,
  EvalStartRequest,
  SearchAnswer,
  ServedAgent,
  ServedRun,
  UsagePeriod,
  ContextWindow,
  UsedBudget,
} from "./client/answers.ts";
