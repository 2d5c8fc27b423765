// A run: its specification, events, state, result and failure. Pure data and functions.

import type { JsonObject, JsonValue } from "../source/json.ts";
import type { Budget } from "./budget.ts";
import type { ProviderOptions, StopCondition, TaskCall, ToolChoiceSetting } from "./delegation.ts";
import type { StoredExtension } from "./extension-config.ts";
import type { Figures } from "./figures.ts";
import type { Lineage } from "./lineage.ts";
import type { ApprovalRequest, PermissionPolicy } from "./permission.ts";
import type { Reserved } from "./reserved.ts";
import { type RecordedResult, type TerminalStatus, terminalStatuses } from "./result.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { SharedContext } from "./shared/shared-context.ts";
import type { TraceContext } from "../trace-context.ts";

/** The statuses of a run, the terminal ones last. */
export const runStatuses = [
  "queued",
  "waiting",
  "running",
  "awaiting-approval",
  "succeeded",
  "failed",
  "cancelled",
  "timed-out",
] as const;

/** The status of a run. {@link isTerminal} reports whether it has ended. */
export type RunStatus = (typeof runStatuses)[number];

/** The settings of a run, fixed at its creation. Plain JSON. */
export interface RunSpec {
  id: string;
  /** The first run of the family; its own id for a root. */
  rootId: string;
  parentId: string | null;
  /** The step of the parent that created the run; with `parentId`, its identity across a resume. */
  parentStep: string | null;
  /** 0 for a root. */
  depth: number;
  agent: string;
  task: string;
  /** The commands and files that complete the task. */
  taskCalls?: readonly TaskCall[];
  /** Shown in lists instead of the first line of the task, for example the instruction of a pipeline. */
  title?: string;
  /** Data in addition to the task: several inputs for an `.aip` agent, else one. */
  inputs?: readonly JsonValue[];
  /** Options of the call that override those in the file of an `.aip` agent. */
  options?: JsonObject;
  /** A redo request of an `.aip` agent ends the run and appears in its output, so that the caller decides. */
  reportsRedo?: boolean;
  label: string | null;
  /** The ids of the runs that must end first. */
  dependsOn: readonly string[];
  /** Put the results of `dependsOn` before the task. */
  includeDependencyResult?: boolean;
  /** What happens when one of the dependencies does not succeed; absent = `fail`. */
  onDependencyError?: "fail" | "run";
  /** Runs of a family with the same sequence never overlap, unless one is a descendant of the other. */
  sequence?: string;
  /** The run executes in the background and delivers its result to the parent's conversation. */
  background?: boolean;
  /** The run continues when its parent ends. */
  detached?: boolean;
  /** The run belongs to its family's team: it can send messages to the other members and uses their task board. */
  team?: boolean;
  /** The run's own layer of the shared context. */
  context?: SharedContext;
  /** The images of the task. */
  images?: readonly StoredImage[];
  /**
   * The text of the result: a requested summary (`true`), all texts and tool results (`false`), or the final text
   * (absent).
   */
  summary?: boolean;
  /** The JSON Schema of its output. */
  outputSchema?: JsonObject;
  /** The checks and retries. */
  retry?: RetryPolicy;
  /** The budget of the run and its descendants. */
  budget?: Budget;
  /** The MCP servers of its tools. */
  extensions?: readonly StoredExtension[];
  /** Whether a cached result of an earlier run may be returned. */
  cache?: boolean;
  lineage?: Lineage;
  /** The ended run whose conversation this run continues. */
  continues?: string;
  /** Compact that conversation to about half before the first request. */
  compact?: boolean;
  /** The first run of the conversation that the family belongs to; absent = the root. Inherited by descendants. */
  conversation?: string;
  /** The place in a trace where the caller started the family; the same in all its runs. Absent = not traced. */
  trace?: TraceContext;
  /** The source of each setting for display, such as `model: the call`. */
  reasons?: Readonly<Record<string, string>>;
  /** The hash under which the registry stores the agent's definition as of the run's creation. */
  definition: string;
  /** The resolved model, `provider:model`; `null` for a program agent without one. */
  model: string | null;
  /** The resolved models that take over, in this order, when requests to `model` fail for good; absent = none. */
  fallbacks?: readonly string[];
  /** The last of `fallbacks`, the parent's model, which replaces an unknown model only. */
  fallbackModel: string | null;
  /** The run's models that the program passed as objects; absent = none. A resume needs them. */
  givenModels?: readonly string[];
  temperature: number | null;
  /** The reasoning effort that the caller requested. Absent = the definition's. */
  effort?: "low" | "medium" | "high";
  /** The time limit in seconds, excluding waits for a slot or for an answer of the user. `Run.addedSeconds` raises it. */
  timeoutSeconds: number;
  maxTurns: number;
  /** The names and patterns of the tools that the request allows. Absent = all that the run would have. */
  tools?: readonly string[];
  providerOptions?: ProviderOptions;
  toolChoice?: ToolChoiceSetting;
  /** The run ends as succeeded when one of these is met. */
  stopWhen?: readonly StopCondition[];
  /** The maximum number of levels of descendants below the root. A child uses the smaller of its own and its parent's limit. */
  maxDepth: number;
  /** The agents that the run may delegate to; `null` = all. */
  agents: readonly string[] | null;
  /**
   * Epoch milliseconds, inherited from the root. Code of definitions that appeared or changed later needs the user's
   * approval. Absent in runs of earlier versions.
   */
  definitionsAsOf?: number;
  /** The folder that tools work in and are confined to, absolute. */
  workspace: string;
  /**
   * The git worktree of the run: its folder, which contains `workspace`, and the folder whose HEAD it checks out.
   * Absolute.
   */
  worktree?: { root: string; from: string };
  /** How workers get the files of a root run's family: through git. Absent = they have the folder at the same path. */
  filesThrough?: "git";
  /** The tools of the parent, which limit those of the run; `null` = no limit. */
  parentTools: readonly string[] | null;
  /** The program's tools (`createCadre({ tools })`) that the run may use; absent = none. A resume needs them. */
  ownTools?: readonly string[];
  /** The policies of every run from the root down to this one. */
  policies: readonly PermissionPolicy[];
  /** The agents from the root down to this one. */
  chain: readonly string[];
  /** The warnings known at creation, such as a model fallback, which become part of the result. */
  warnings: readonly string[];
}

/** An image of a task. Its content is stored outside the journal. */
export interface StoredImage {
  mediaType: string;
  /** The hash under which the registry stores `{ data }`, base64. */
  content: string;
}

/** The current state of a run: the projection of its journal. Plain JSON. */
export interface Run extends Pick<
  RunSpec,
  | "id"
  | "rootId"
  | "parentId"
  | "parentStep"
  | "depth"
  | "agent"
  | "task"
  | "title"
  | "label"
  | "dependsOn"
  | "background"
  | "detached"
  | "team"
  | "sequence"
  | "budget"
  | "lineage"
  | "continues"
  | "conversation"
  | "trace"
> {
  /** The model in use: the spec's model, or the fallback that took over last. */
  model: string | null;
  /** The run's first model, if another one has taken over. */
  firstModel?: string;
  status: RunStatus;
  /** A short description of the run's activity; `null` when it is inactive. */
  activity: string | null;
  /** The step of the call that `activity` names; absent or `null` = it names none. */
  activityKey?: string | null;
  /** The number of tool calls in progress. */
  openSteps: number;
  /** Epoch milliseconds, like the other times. */
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** The number of starts: 1, plus one for every resume. */
  attempts: number;
  /**
   * Milliseconds to the last event, from the end of its dependencies or, without any, from creation. The time in which no process
   * owned the run does not count. Absent = 0.
   */
  elapsedMs?: number;
  /** Milliseconds of running until the last event, without waits in the queue or for the user. */
  spentMs: number;
  /** When the current process began to execute the run; `null` when none does. */
  attemptStartedAt: number | null;
  /** The figures of the run alone; `RunOverview` includes its descendants. */
  own: Figures;
  /** The budget reserved by requests in progress, by the key of their step; absent = none, or no budget. */
  reserved?: Readonly<Record<string, Reserved>>;
  /**
   * The reservations of requests whose process was killed. Their usage is unknown, so budgets count the whole reservation and
   * `own` counts nothing. Absent = none.
   */
  interrupted?: Reserved;
  /** The seconds added to its timeout; absent = none. `budget` also contains the raised limits. */
  addedSeconds?: number;
  /** The approval that the run waits for, and the time of the question. */
  approval: (ApprovalRequest & { askedAt: number }) | null;
  result: RecordedResult | null;
  /** The run whose cached result it returned. */
  cachedFrom?: string;
  /** The number of failed attempts that were followed by another; absent = 0. */
  retries?: number;
  /** The number of the last event in its journal. */
  lastSeq: number;
  /** Epoch milliseconds of the last event. */
  lastEventAt: number;
}

const terminal: ReadonlySet<RunStatus> = new Set(terminalStatuses);

/** Reports whether `status` is final. */
export function isTerminal(status: RunStatus): status is TerminalStatus {
  return terminal.has(status);
}
