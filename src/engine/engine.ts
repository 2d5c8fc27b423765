import type { AgentDefinition } from "../agent/agent.ts";
import type { RunResult } from "../run/result.ts";
import type { RunSpec } from "../run/run.ts";

/** A run to create: all of a {@link RunSpec} but what the engine itself fills in. */
export type SpawnRequest = Omit<RunSpec, "definition"> & { definition: AgentDefinition };

/** Something heard from a run between two events of its journal; not stored. */
export interface RunActivity {
  runId: string;
  kind: "text" | "progress";
  text: string;
}

/** Where runs execute. The local engine executes them in this process, over the registry. */
export interface Engine {
  /**
   * Creates a run and begins it as soon as what it depends on has ended and a slot is free; resolves with its id once
   * that is durable.
   */
  spawn(request: SpawnRequest): Promise<string>;
  /**
   * The id of the run that a step of a parent created before, taken up again if it has not ended: so that a step which
   * is executed again never runs anything twice.
   */
  reattach(parentId: string, parentStep: string): Promise<string | undefined>;
  /** Waits for the end of a run that this process executes. Rejects only when the registry fails. */
  result(runId: string): Promise<RunResult>;
  /**
   * Ends a run and its descendants, here or, by asking the process that owns it, elsewhere; resolves when they ended
   * here or were asked to. Detached runs are ended too, also those that outlived their parents, unless `keepDetached` says
   * otherwise. `false` when there was nothing to end.
   */
  cancel(
    runId: string,
    reason: string,
    by: string,
    options?: { keepDetached?: boolean },
  ): Promise<boolean>;
  /**
   * Says something to a run, which hears it before its next model step: here or, through its owner, elsewhere. Resolves
   * with the id of the message once that is durable; with `undefined` when the run has ended. Who may have to say it again after
   * a crash gives it an `id` of its own: it is heard once.
   */
  send(runId: string, text: string, from: string, id?: string): Promise<string | undefined>;
  /** A tool gave `parentId` these results of its runs in the background: they are not delivered any more. */
  collect(parentId: string, runIds: readonly string[]): void;
  /**
   * Starts a run that begins with the steps of another up to and including `at` (a step's key, or the number of a model
   * step), and goes on from there; `task` is said to it then.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when there is no such step.
   */
  fork(runId: string, at: string, task?: string): Promise<string>;
  /**
   * Does once more what a run did not succeed in: in its family while its parent is at work, which hears of the result;
   * else as a run of its own. Resolves with the id of the new run.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when it has not ended or succeeded.
   */
  retry(runId: string): Promise<string>;
  /** Resolves when no run is at work in this process. */
  idle(): Promise<void>;
  /** Whether this process executes the run. */
  isExecuting(runId: string): boolean;
  /**
   * Continues the unfinished runs of a family.
   *
   * @throws CadreError `run-owned` when a living process owns the family, `model-unavailable` when a model that it
   * needs cannot be had now; the runs then stay as they are.
   */
  resume(rootId: string): Promise<void>;
  /** Ends every run of this process, waits for that, and leaves nothing running. */
  close(): Promise<void>;
}
