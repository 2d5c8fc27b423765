import type { JsonObject } from "../source/json.ts";

/** A process that executes families of the work table. */
export interface WorkerRecord {
  id: string;
  host: string;
  pid: number;
  /** It takes only families that need this label; `null` = families that need none. */
  label: string | null;
  /** The maximum number of families that it executes at once. */
  concurrency: number;
  /** The version of its Cadre. */
  version: string;
}

/** A worker as another process sees it. */
export interface SeenWorker extends WorkerRecord {
  /** Whether it may still be active; see `isOwnerAlive`. */
  isAlive: boolean;
  /** The milliseconds since its last heartbeat. */
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
  /** The number of times that the family was given to the workers, from 1. */
  attempt: number;
  /** The label that a worker needs; `null` = none. */
  label: string | null;
  /** The options of the worker's Cadre. */
  setting: JsonObject;
  /** From -100 to 100. Families with a higher priority are taken first. */
  priority: number;
  /** The milliseconds until a worker may take it; `null` = it has no start time, or the start was handled. */
  startsInMs: number | null;
  /**
   * The runs of other families that it waits for outside the queue. Empty: it is in the queue, and a worker checks its
   * dependencies before it begins; `null` = it has none.
   */
  awaits: readonly string[] | null;
  /** The worker that took the attempt; `null` = it waits for one. */
  worker: string | null;
  /** The workers that cannot execute it. */
  refusals: readonly Refusal[];
  /** The milliseconds since the attempt was submitted. */
  waitedMs: number;
  /** Whether all its runs have ended. */
  isEnded: boolean;
}

/** Selects families of the work table. */
export interface WorkFilter {
  rootId?: string;
  /** Only families that a worker took or refused, whose start time has come, or that wait for a run that has ended. */
  touched?: boolean;
  /** Only families whose attempt was submitted at least this long ago, in milliseconds. */
  waitedMs?: number;
}

/** A submission of a family to the workers. */
export interface Submission {
  label: string | null;
  setting: JsonObject;
  /** Default 0. */
  priority?: number;
  /** When a worker may take it, by the database's clock: at a time in epoch milliseconds, or after a delay. Absent = at once. */
  start?: { at: number } | { afterMs: number };
  /** Whether its root run depends on other runs. Default false. */
  hasDependencies?: boolean;
}

/**
 * The families that workers execute, and the workers. The table determines who executes which family next; the journals record
 * what happened. Every change of a family names the attempt that it is based on, so only one of several processes succeeds.
 */
export interface WorkTable {
  /** The location of a dispatcher's own tables, beside those of the registry. */
  readonly address: { url: string; schema: string };
  /**
   * Gives a family to the workers, with the ownership of its unfinished runs if this process has it. All appended events must be
   * durable. Resolves with the number of the attempt.
   */
  submit(rootId: string, submission: Submission): Promise<number>;
  /**
   * Assigns the key to the family `rootId`. Resolves with `undefined`, or with the unfinished family that has the key. A family
   * that is not recorded within a minute loses the key.
   */
  holdKey(key: string, rootId: string): Promise<string | undefined>;
  /** Removes the key of a family, unless the family is recorded and unfinished. */
  freeKey(rootId: string): Promise<void>;
  /** Lists families by priority, highest first, then by submission, oldest first. */
  items(filter?: WorkFilter): Promise<WorkItem[]>;
  /** Counts the families that wait for a worker. A count below `most` includes families that were cancelled while they waited. */
  countWaiting(most: number): Promise<number>;
  /** Gives this attempt to `worker`; `undefined` when another worker has it, or the attempt is over. */
  take(rootId: string, attempt: number, worker: string): Promise<WorkItem | undefined>;
  /** Starts the next attempt at once, if `worker` still has this one. Resolves with its number. */
  requeue(rootId: string, attempt: number, worker: string | null): Promise<number | undefined>;
  /** Keeps a family that `worker` took out of the queue until a run in `awaits` has ended. */
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
   * Adds a worker, or records its heartbeat.
   *
   * @throws CadreError `registry-newer` when a newer Cadre has migrated the tables since. The heartbeat is still recorded.
   */
  beat(worker: WorkerRecord): Promise<void>;
  workers(): Promise<SeenWorker[]>;
  /** Removes workers. */
  leave(ids: readonly string[]): Promise<void>;
}
