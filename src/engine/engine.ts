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

/** Output of a run, which the context names. */
export type Activity =
  /** A piece of a reply. `step` is the key of the step that records the reply. */
  | ({ step: string } & ReplyPiece)
  /** A piece of the output of a tool call. `step` is the key of the step that records the result. */
  | { type: "tool-output"; step: string; text: string }
  /** A line about what the run is doing. */
  | { type: "progress"; text: string };

/** What an engine of your own is made of. */
export interface EngineParts {
  /** The built-in engine, which executes runs in this process. */
  local: Engine;
  /** The registry of the runs. */
  registry: Registry;
  /** What an engine needs that executes runs in other processes. */
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
  /** The label that a worker needs by the configuration; absent = none. */
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

/** See {@link DispatchParts.setting}. It gives no rights: those are of the process that executes the runs. */
export type DispatchSetting = { cwd: string; model?: string; agentFiles?: string[] };

/**
 * Makes an engine, which may pass calls on to the built-in one. Everything that starts, continues, ends or awaits a run
 * calls it, at any depth: commands, tools of agents, programs and servers. Its `close` must close the built-in one.
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
   * free. An engine whose runs wait for workers may return the id of a run that has the key of `queue`; an engine of your own passes
   * `queue` on.
   *
   * @throws CadreError `config-invalid` for a `queue` where runs do not wait for workers.
   */
  spawn(request: SpawnRequest, queue?: QueueRequest): Promise<string>;
  /**
   * Returns the id of the run that a step of a parent created before an interruption, and continues that run if it has not ended.
   * A step that is executed again thus starts nothing twice.
   */
  reattach(parentId: string, parentStep: string): Promise<string | undefined>;
  /**
   * Waits for the end of a run, whichever process executes it, at most until `signal` aborts.
   *
   * @throws CadreError `run-not-found`, or what failed the registry. How the run ended is in its result.
   */
  result(runId: string, signal?: AbortSignal): Promise<RecordedResult>;
  /**
   * Cancels a run and its descendants, in this process or by a request to the process that owns it. Resolves when they have ended
   * here or the request is recorded. Detached descendants end too, even when their parents have ended, unless `keepDetached` is
   * set. Resolves with `false` when there was nothing to end.
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
   * Adds to limits that an active run has, in this process or by a request to the process that owns it. Resolves when they count
   * here or the request is recorded.
   *
   * @throws CadreError `run-not-found`; `invalid-argument` when the run has ended or has no such limit; `budget-exceeded` when the
   * budgets above it have less free.
   */
  raise(runId: string, raise: LimitRaise, by: string): Promise<void>;
  /** Marks results of background runs as read by `parentId` through a tool, so that they are not delivered again. */
  collect(parentId: string, runIds: readonly string[]): void;
  /**
   * Starts a run that begins with the steps of another up to and including `at` (a step's key, or the number of a model step;
   * default: the last step). `task` is then sent to it. `submitted` says how its files reach workers.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when there is no such step.
   */
  fork(runId: string, at?: string, task?: string, submitted?: SubmittedFiles): Promise<string>;
  /**
   * Retries a failed run: in its family while its parent is running, which then gets the result, else as a root run. `raise` is
   * added to its limits. `submitted` says how the files of a root run reach workers. Resolves with the id of the new run.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when the run has not ended or has succeeded, or has no such limit.
   */
  retry(runId: string, raise?: LimitRaise, submitted?: SubmittedFiles): Promise<string>;
  /** Resolves when this process executes no run. */
  idle(): Promise<void>;
  /** Reports whether this process executes the run. */
  isExecuting(runId: string): boolean;
  /**
   * Continues the unfinished runs of a family, and those of the families for which it waits, whose process is gone and which no
   * worker will take. Without `others` (default true) these stay as they are.
   *
   * @throws CadreError `run-owned` when a living process owns the family, `model-unavailable` when a model it needs is
   * unavailable. The runs then stay as they are.
   */
  resume(rootId: string, options?: { others?: boolean }): Promise<void>;
  /** Cancels every run of this process and resolves when all have ended. */
  close(): Promise<void>;
}
