import type { JsonObject, JsonValue } from "../source/json.ts";
import type { Budget } from "./budget.ts";
import type { StoredExtension } from "./extension-config.ts";
import type { Figures } from "./figures/figures.ts";
import type { Lineage } from "./lineage.ts";
import type { ApprovalRequest, PermissionPolicy } from "./permission.ts";
import type { Reserved } from "./reserved.ts";
import type { RunResult, TerminalStatus } from "./result.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { SharedContext } from "./shared-context.ts";

/** Where a run stands. The last four are final. */
export type RunStatus = "queued" | "waiting" | "running" | "awaiting-approval" | TerminalStatus;

/** What was asked for: fixed when the run is created. Plain JSON. */
export interface RunSpec {
  id: string;
  /** The first run of the family; its own id for a root. */
  rootId: string;
  parentId: string | null;
  /** The step of the parent that asked for this run; with `parentId`, its identity across a resume. */
  parentStep: string | null;
  /** 0 for a root. */
  depth: number;
  agent: string;
  task: string;
  /** What lists show in place of the first line of the task, where that says little: the instruction of a pipeline, for example. */
  title?: string;
  /** Data it was given besides its task: one, but for an `.aip` agent. */
  inputs?: readonly JsonValue[];
  /** What the caller of an `.aip` agent wants otherwise than its file says. */
  options?: JsonObject;
  /** An `.aip` agent that asks to be run again ends, and says so in its output: its caller decides. */
  reportsRedo?: boolean;
  label: string | null;
  /** The ids of the runs whose ends it waits for. */
  dependsOn: readonly string[];
  /** Put the results of `dependsOn` before the task. */
  includeDependencyResult?: boolean;
  /** What it does when one of them did not succeed; absent = `fail`. */
  onDependencyError?: "fail" | "run";
  /** Runs of the family with the same one never overlap, unless one is inside the other. */
  sequence?: string;
  /** Nobody waits for it: its result enters the parent's conversation when it ends. */
  background?: boolean;
  /** It lives on when its parent ends. */
  detached?: boolean;
  /** Its own layer of the shared context. */
  context?: SharedContext;
  /** Part of the task. */
  images?: readonly StoredImage[];
  /** Told to end with a summary (`true`); everything it said and its tools gave is its text (`false`). Absent = its last words. */
  summary?: boolean;
  /** JSON Schema its output must fit. */
  outputSchema?: JsonObject;
  /** When it tries again. */
  retry?: RetryPolicy;
  /** For it and its descendants. */
  budget?: Budget;
  /** The servers it gets tools from. */
  extensions?: readonly StoredExtension[];
  /** An earlier result may stand for it. */
  cache?: boolean;
  lineage?: Lineage;
  /** Where the settings in effect came from, such as `model: the call`; for people. */
  reasons?: Readonly<Record<string, string>>;
  /** The hash under which the registry keeps the agent's definition as it was when the run was created. */
  definition: string;
  /** The model that was resolved, as `provider:model`; `null` for a program agent that was given none. */
  model: string | null;
  /** The model asked instead when the provider turns out not to have `model`: the parent's. */
  fallbackModel: string | null;
  temperature: number | null;
  /** How hard the model should think, where the caller says so. Absent = as the definition says. */
  effort?: "low" | "medium" | "high";
  /** Seconds of running time; waiting for a slot or for an answer of the user does not count. */
  timeoutSeconds: number;
  maxTurns: number;
  /** How many levels of descendants below the root there may be; a child inherits the smaller of its own and its parent's. */
  maxDepth: number;
  /** The agents it may delegate to; `null` = all. */
  agents: readonly string[] | null;
  /**
   * Epoch milliseconds. Code of definitions that appeared or changed later is asked about before it is executed; inherited from
   * the root. Absent = in runs of earlier versions.
   */
  definitionsAsOf?: number;
  /** Absolute; what tools work in and are confined to. */
  workspace: string;
  /** A git worktree of its own: its folder, and the folder whose HEAD it is made of. Both absolute; `workspace` lies in it. */
  worktree?: { root: string; from: string };
  /** The names of the tools the parent could use; `null` = no such bound. */
  parentTools: readonly string[] | null;
  /** Of every level from the root down to this run. */
  policies: readonly PermissionPolicy[];
  /** The agents from the root down to this one. */
  chain: readonly string[];
  /** What its result will warn about before it even started, such as a model fallback. */
  warnings: readonly string[];
}

/** An image of a task; its content is kept apart from the journal's rows. */
export interface StoredImage {
  mediaType: string;
  /** The hash under which the registry keeps `{ data }`, base64. */
  content: string;
}

/** A run as it stands: the projection of its journal that lists and trees show. Plain JSON. */
export interface Run {
  id: string;
  rootId: string;
  parentId: string | null;
  parentStep: string | null;
  depth: number;
  agent: string;
  task: string;
  /** See {@link RunSpec.title}. */
  title?: string;
  label: string | null;
  dependsOn: readonly string[];
  model: string | null;
  status: RunStatus;
  /** What it is doing now, in a few words; `null` when it does nothing. */
  activity: string | null;
  /** Calls of tools under way. */
  openSteps: number;
  /** Epoch milliseconds, like the other times. */
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** How often it was started: 1, plus one for every resume. */
  attempts: number;
  /** Milliseconds from its creation to its last event, without those in which no process had it; absent = none. */
  elapsedMs?: number;
  /** Milliseconds it was running until its last event: neither queued nor waiting for an answer of the user. */
  spentMs: number;
  /** When its process began to execute it; `null` when none does. */
  attemptStartedAt: number | null;
  /** What this run alone took; see `RunOverview` for what its descendants took as well. */
  own: Figures;
  /** What requests under way may take at most, by the key of their step; absent = none, or no budget. */
  reserved?: Readonly<Record<string, Reserved>>;
  /**
   * What requests may have taken whose process was killed: nobody knows, so budgets count the most, and `own` nothing.
   * Absent = none.
   */
  interrupted?: Reserved;
  /** The question it waits for an answer to, and since when. */
  approval: (ApprovalRequest & { askedAt: number }) | null;
  result: RunResult | null;
  background?: boolean;
  detached?: boolean;
  sequence?: string;
  budget?: Budget;
  lineage?: Lineage;
  /** The run whose result stands for its own. */
  cachedFrom?: string;
  /** Attempts that failed and were followed by another; absent = none. */
  retries?: number;
  /** The number of the last event in its journal. */
  lastSeq: number;
  /** Epoch milliseconds of the last event. */
  lastEventAt: number;
}

const terminal: ReadonlySet<RunStatus> = new Set(["succeeded", "failed", "cancelled", "timed-out"]);

/** Whether `status` is final. */
export function isTerminal(status: RunStatus): status is TerminalStatus {
  return terminal.has(status);
}
