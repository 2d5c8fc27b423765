import type { JsonObject } from "../source/json.ts";

/** A process that executes families of the work table. */
export interface WorkerRecord {
  id: string;
  host: string;
  pid: number;
  /** It takes only families that need this label; `null` = those that need none. */
  label: string | null;
  /** How many families it executes at once. */
  concurrency: number;
  /** The version of its Cadre. */
  version: string;
}

/** A worker as another process sees it. */
export interface SeenWorker extends WorkerRecord {
  /** Whether it may still be active; see `isOwnerAlive`. */
  isAlive: boolean;
  /** The milliseconds since its last sign of life. */
  silentMs: number;
}

/** Why a worker cannot execute a family. */
export interface Refusal {
  worker: string;
  reason: string;
}

/** A family that workers execute. */
export interface WorkItem {
  rootId: string;
  /** Counts how often the family was given to the workers, from 1. */
  attempt: number;
  /** The label that a worker needs; `null` = none. */
  label: string | null;
  /** What the worker's Cadre is created with. */
  setting: JsonObject;
  /** Families of a higher priority are taken first: from -100 to 100. */
  priority: number;
  /** The milliseconds until a worker may take it; `null` = it has no start time, or it has been handled. */
  startsInMs: number | null;
  /**
   * The runs of other families for whose ends it is kept out of the queue. Empty: it is not kept out, and a worker looks at its
   * dependencies before it begins; `null` = it has none.
   */
  awaits: readonly string[] | null;
  /** The worker that took the attempt; `null` = it waits for one. */
  worker: string | null;
  /** The workers that cannot execute it. */
  refusals: readonly Refusal[];
  /** The milliseconds since the attempt was submitted. */
  waitedMs: number;
  /** Whether none of its runs is unfinished. */
  isEnded: boolean;
}

/** Selects families of the work table. */
export interface WorkFilter {
  rootId?: string;
  /** Only those that a worker took or refused, whose start time has come, or of whose awaited runs one has ended. */
  touched?: boolean;
  /** Only those whose attempt was submitted this long ago, in milliseconds. */
  waitedMs?: number;
}

/** A submission of a family to the workers. */
export interface Submission {
  label: string | null;
  setting: JsonObject;
  /** Default 0. */
  priority?: number;
  /** When a worker may take it, by the clock of the database: in epoch milliseconds, or from now on. Absent = at once. */
  start?: { at: number } | { afterMs: number };
  /** Whether its root run depends on other runs. Default false. */
  hasDependencies?: boolean;
}

/**
 * The families that workers execute, and the workers. It says who executes which family next; the journals say what happened. Every
 * change of a family names the attempt that it is based on, so that of several processes one succeeds.
 */
export interface WorkTable {
  /** Where a dispatcher keeps its own tables: beside those of the registry. */
  readonly address: { url: string; schema: string };
  /**
   * Gives a family to the workers, with the ownership of its unfinished runs if it is this process's. What was appended must be
   * durable. Resolves with the number of the attempt.
   */
  submit(rootId: string, submission: Submission): Promise<number>;
  /**
   * Makes the family `rootId` the one with this key. Resolves with `undefined`, or with the family that has the key and has not
   * ended. A family that is not recorded within a minute has it no longer.
   */
  holdKey(key: string, rootId: string): Promise<string | undefined>;
  /** Takes the key of a family away, unless it is recorded and has not ended. */
  freeKey(rootId: string): Promise<void>;
  /** Lists families, those of the highest priority first, and of these the first submitted. */
  items(filter?: WorkFilter): Promise<WorkItem[]>;
  /** Counts the families that wait for a worker. Below `most`, those that were cancelled while they waited count too. */
  countWaiting(most: number): Promise<number>;
  /** Makes `worker` the one that executes this attempt; `undefined` when another one does, or the attempt is over. */
  take(rootId: string, attempt: number, worker: string): Promise<WorkItem | undefined>;
  /** Starts the next attempt, at once, when this one is still that of `worker`. Resolves with its number. */
  requeue(rootId: string, attempt: number, worker: string | null): Promise<number | undefined>;
  /** Keeps a family that `worker` took out of the queue until one of the runs `awaits` has ended. */
  hold(
    rootId: string,
    attempt: number,
    held: { worker: string; awaits: readonly string[] },
  ): Promise<void>;
  /** Records that `worker` cannot execute a family, and lets others take it. */
  refuse(rootId: string, attempt: number, refusal: Refusal): Promise<void>;
  /** Removes a family that has ended. */
  remove(rootId: string): Promise<void>;
  /**
   * Adds a worker, or records a sign of life.
   *
   * @throws CadreError `registry-newer` when a newer Cadre has migrated the tables since; the sign of life is recorded.
   */
  beat(worker: WorkerRecord): Promise<void>;
  workers(): Promise<SeenWorker[]>;
  /** Removes workers. */
  leave(ids: readonly string[]): Promise<void>;
}
