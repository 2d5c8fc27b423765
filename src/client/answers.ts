import type { AgentDefinition } from "../agent/definition/agent.ts";
import type { RunOverview } from "../run/run-overview.ts";
import type { EvalSettings } from "../runtime/eval/eval-record.ts";
import type { FoundRun, FoundRuns } from "../runtime/run-search.ts";
import type { Diagnostic } from "../source/diagnostic.ts";

/** A project of a server. */
export interface ApiProject {
  /** Its name in `/api/v1/projects/{project}`. */
  id: string;
  /** Its folder, absolute. */
  path: string;
  /** Whether code of the folder may run, by `cadre trust` or `--trust`. */
  isTrusted: boolean;
}

/** A run as the API shows it. */
export interface ServedRun extends RunOverview {
  /** Its process is gone; a resume continues it. */
  isLeft: boolean;
}

/** The runs that a search found. */
export interface SearchAnswer extends Omit<FoundRuns, "hits"> {
  hits: (FoundRun & { run: ServedRun })[];
}

/** An agent as the API shows it. */
export interface ServedAgent extends AgentDefinition {
  /** Broken and shadowed definitions cannot be run. */
  isUsable: boolean;
}

/** The use of the runs that were created in a period. */
export interface UsagePeriod {
  /** The start of the period, ISO 8601 in UTC. */
  start: string;
  /** The agent or model; `null` without a group, and for runs without a model. */
  group: string | null;
  runs: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; `null` when the price of one of the runs is unknown. */
  cost: number | null;
}

/** An eval file of a project. */
export interface EvalFile {
  /** Relative to the folder of the project. */
  file: string;
  /** The names of its cases. */
  cases: string[];
  diagnostics: Diagnostic[];
}

/** A request for an eval. */
export interface EvalStartRequest extends EvalSettings {
  /** Files of the project, relative to its folder. */
  files: readonly string[];
  /** Only cases whose name contains this text. */
  filter?: string;
}

/** What a run and its descendants have used. */
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
  /** It is neither configured nor known for this model. */
  isAssumed: boolean;
}

/** The codes of problems that only a server has. */
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
