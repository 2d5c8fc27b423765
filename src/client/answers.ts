import type { AgentDefinition } from "../agent/definition/agent.ts";
import type { RunOverview } from "../run/run-overview.ts";
import type { EvalSettings } from "../runtime/eval/eval-record.ts";
import type { FoundRun, FoundRuns } from "../runtime/run-search.ts";
import type { Diagnostic } from "../source/diagnostic.ts";

/** A project of a server. */
export interface ApiProject {
  /** The name of the project in `/api/v1/projects/{project}`. */
  id: string;
  /** The absolute path of the project's folder. */
  path: string;
  /** Whether code of the folder may run, because of `cadre trust` or `--trust`. */
  isTrusted: boolean;
}

/** A run as the API shows it. */
export interface ServedRun extends RunOverview {
  /** Whether the run's process is gone; a resume continues the run. */
  isLeft: boolean;
}

/** The runs that a search found. */
export interface SearchAnswer extends Omit<FoundRuns, "hits"> {
  hits: (FoundRun & { run: ServedRun })[];
}

/** An agent as the API shows it. */
export interface ServedAgent extends AgentDefinition {
  /** Whether the agent can be run; broken and shadowed definitions cannot. */
  isUsable: boolean;
}

/** The usage of the runs that were created in a period. */
export interface UsagePeriod {
  /** The start of the period, ISO 8601 in UTC. */
  start: string;
  /** The agent or model; `null` without a group, and for runs without a model. */
  group: string | null;
  runs: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; `null` when the price of any run is unknown. */
  cost: number | null;
}

/** An eval file of a project. */
export interface EvalFile {
  /** The path of the file, relative to the project's folder. */
  file: string;
  /** The names of the file's cases. */
  cases: string[];
  diagnostics: Diagnostic[];
}

/** A request for an eval. */
export interface EvalStartRequest extends EvalSettings {
  /** Files of the project, relative to the project's folder. */
  files: readonly string[];
  /** Selects the cases whose name contains this text. */
  filter?: string;
}

/** The usage of a run and its descendants. */
export interface UsedBudget {
  tokens: number;
  /** `null` when a price is unknown. */
  usd: number | null;
  toolCalls: number;
  wallSeconds: number;
}

/** The context window of a model. */
export interface ContextWindow {
  tokens: number;
  /** Whether the size is a guess, because it is neither configured nor known for this model. */
  isAssumed: boolean;
}

/** The codes of problems that only a server reports. */
export type ServerProblemCode =
  | "not-signed-in"
  | "host-not-allowed"
  | "origin-not-allowed"
  | "not-found"
  | "idempotency-key-reused"
  | "start-unknown"
  | "body-too-large"
  | "media-type-unsupported"
  | "too-many-streams"
  | "internal";
