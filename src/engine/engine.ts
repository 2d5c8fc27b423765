// The engine: executes runs durably.

import type { Config } from "../config/config.ts";
import type { AgentDefinition } from "../agent/definition/agent.ts";
import type { ReplyPiece } from "../model/model.ts";
import type { Registry } from "../registry/registry.ts";
import type { LimitRaise } from "../run/budget.ts";
import type { RecordedResult } from "../run/result.ts";
import type { QueueRequest } from "../run/queue/queue-request.ts";
import type { RunSpec } from "../run/run.ts";

/** A run to create: a {@link RunSpec} without the fields that the engine fills in. */
export type SpawnRequest = Omit<RunSpec, "definition"> & { definition: AgentDefinition };

/** Output of a run between two events of its journal; not stored. */
export type RunActivity = { runId: string } & Activity;

/** Output of a run that the context identifies. */
export type Activity =
  /** A piece of a reply. `step` is the key of the step that records the reply. */
  | ({ step: string } & ReplyPiece)
  /** A piece of the output of a tool call. `step` is the key of the step that records the result. */
  | { type: "tool-output"; step: string; text: string }
  /** A line about the run's activity. */
  | { type: "progress"; text: string };

/** The parts that a custom engine receives. */
export interface EngineParts {
  /** The built-in engine, which executes runs in this process. */
  local: Engine;
  /** The registry of the runs. */
  registry: Registry;
  /** The parts for an engine that executes runs in other processes. */
  dispatch: DispatchParts;
}

/** See {@link EngineParts.dispatch}. */
export interface DispatchParts {
  /** The options with which another process creates a Cadre for the same runs. */
  setting: DispatchSetting;
  /** The names of the options given to this Cadre that have no effect on runs of another process. */
  onlyHere: readonly string[];
  /** The most families that may wait for a worker. */
  maxWaiting: number;
  /** The worker label that the configuration requires; absent = none. */
  label?: string | undefined;
  /** How the files of new runs reach workers. */
  files: FilesSetting;
}

/** See {@link DispatchParts.files}. */
export interface FilesSetting {
  /** The folder of the runs, absolute. */
  folder: string;
  /** The folder for temporary files, which no agent can write. */
  stateFolder: string;
  /** The settings of the configuration. */
  worker: Config["worker"];
}

/** See {@link DispatchParts.setting}. It grants no rights; the process that executes the runs has its own. */
export type DispatchSetting = { cwd: string; model?: string; agentFiles?: string[] };

/**
 * Creates an engine, which may forward calls to the built-in one. Everything that starts, continues, ends or awaits a run calls
 * it, at any depth: commands, agents' tools, programs and servers. Its `close` must close the built-in one.
 */
export interface CreateEngine {
  (parts: EngineParts): Engine | Promise<Engine>;
  /** `false`: the built-in engine only records the runs that it creates, because another process executes them. */
  readonly executes?: false;
}

/** How the files of a root run reach workers. */
export type SubmittedFiles = Pick<RunSpec, "filesThrough">;

/** Executes runs. The built-in engine executes them in this process, over the registry. */
export interface Engine {
  /**
   * Creates a run. Resolves with its id once the run is durable. The run starts when its dependencies have ended and a slot is
   * free. An engine whose runs wait for workers may return the id of an existing run with the key of `queue`. A custom engine
   * passes `queue` on.
   *
   * @throws CadreError `config-invalid` for a `queue` where runs do not wait for workers.
   */
  spawn(request: SpawnRequest, queue?: QueueRequest): Promise<string>;
  /**
   * Returns the id of the run that a step of a parent created before an interruption, and continues that run if it has not ended.
   * A repeated step therefore starts no second run.
   */
  reattach(parentId: string, parentStep: string): Promise<string | undefined>;
  /**
   * Waits for the end of a run in any process, at most until `signal` aborts. The result says how the run ended.
   *
   * @throws CadreError `run-not-found`, or the failure of the registry.
   */
  result(runId: string, signal?: AbortSignal): Promise<RecordedResult>;
  /**
   * Cancels a run and its descendants, in this process or by a request to the process that owns it. Resolves when they have ended
   * here or the request is recorded. Detached descendants end too, even when their parents have ended, unless `keepDetached` is
   * set. Resolves with `false` when there is nothing to cancel.
   */
  cancel(
    runId: string,
    reason: string,
    by: string,
    options?: { keepDetached?: boolean },
  ): Promise<boolean>;
  /**
   * Sends a message to a run, which reads it before its next model request, in this process or in the one that owns the run.
   * Resolves with the id of the message once it is durable, or with `undefined` when the run has ended. A caller that may repeat
   * the message after a crash passes an `id`: the run then reads it once.
   */
  send(runId: string, text: string, from: string, id?: string): Promise<string | undefined>;
  /**
   * Raises limits of an active run, in this process or by a request to the process that owns it. Resolves when the new limits
   * apply here or the request is recorded.
   *
   * @throws CadreError `run-not-found`; `invalid-argument` when the run has ended or has no such limit; `budget-exceeded` when
   * the budgets above it have too little free.
   */
  raise(runId: string, raise: LimitRaise, by: string): Promise<void>;
  /** Marks results of background runs as read by `parentId` through a tool, so that they are not delivered again. */
  collect(parentId: string, runIds: readonly string[]): void;
  /**
   * Starts a run that begins with the steps of another up to and including `at` (a step's key, the number of a model step,
   * or `end` for the last step; default: the last step). `task` is then sent to it. `submitted` says how its files reach workers.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when there is no such step, or when nothing is left to do: the
   * last step of a successful run without a task, unless `at` is `end`.
   */
  fork(runId: string, at?: string, task?: string, submitted?: SubmittedFiles): Promise<string>;
  /**
   * Retries a failed run: within its family while its parent is running, otherwise as a root run. A running parent gets the
   * result. `raise` is added to its limits. `submitted` says how the files of a root run reach workers. Resolves with the id of
   * the new run.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when the run has not ended or has succeeded, or has no such limit.
   */
  retry(runId: string, raise?: LimitRaise, submitted?: SubmittedFiles): Promise<string>;
  /** Resolves when this process executes no run. */
  idle(): Promise<void>;
  /** Reports whether this process executes the run. */
  isExecuting(runId: string): boolean;
  /**
   * Continues the unfinished runs of a family whose process is gone and which no worker will take. With `others` (default true)
   * it also continues the families for which this one waits.
   *
   * @throws CadreError `run-owned` when a living process owns the family, `model-unavailable` when a model it needs is
   * unavailable. The runs then stay as they are.
   */
  resume(rootId: string, options?: { others?: boolean }): Promise<void>;
  /** Cancels every run of this process and resolves when all have ended. */
  close(): Promise<void>;
}
