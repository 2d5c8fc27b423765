import type { CacheTable } from "./cache-table.ts";
import type { RunEvent, RunEventBody } from "../run/event.ts";
import type { FamilyFigures } from "../run/figures/figures.ts";
import type { Run, RunSpec, RunStatus } from "../run/run.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** Which runs to list, newest first. */
export interface RunFilter {
  status?: readonly RunStatus[];
  agent?: string;
  /** Only runs without a parent. */
  rootsOnly?: boolean;
  /** Default 50. */
  limit?: number;
}

/** What {@link Registry.prune} did. */
export interface Pruned {
  /** The runs that are forgotten. */
  runIds: readonly string[];
  /** How much less the files take, in bytes; 0 while somebody still reads what they held. */
  freedBytes: number;
}

/** Something a process asks of the one that owns a run. */
export interface RunRequest {
  id: number;
  runId: string;
  kind: "cancel" | "message" | "retry";
  data: JsonValue;
}

/** Sees events once they are durable. Must not throw. */
export type RunListener = (event: RunEvent, run: Run) => void;

/**
 * The store of runs: an append-only journal and what is projected from it. Several processes may share one.
 *
 * All methods throw {@link CadreError} `registry-unavailable` when the store cannot be read or written. After a failed write
 * nothing more is accepted, what was durable is untouched, and {@link Registry.failed} tells everybody who waits.
 */
export interface Registry {
  /** Under which this process owns runs; every registry that is opened has its own. */
  readonly ownerId: string;
  /**
   * Aborted when nothing can be recorded any more: a write failed, another process took this one for dead (`lease-lost`), or the
   * file was deleted or replaced. Its reason is the CadreError that every write throws from then on. What waits for
   * something that only a write can bring must wait for this too. Open the registry anew to go on.
   */
  readonly failed: AbortSignal;
  /** Declares the registry as failed: for whoever left a run without an end, for which others may be waiting. */
  fail(error: unknown): void;

  /** Adds an event to a run this process owns. Not durable before `flushed` says so. */
  append(runId: string, body: RunEventBody): RunEvent;
  /**
   * Resolves when everything appended so far is durable.
   *
   * @throws CadreError `lease-lost` when another process took this one for dead and continues its runs.
   */
  flushed(): Promise<void>;
  /** Called for every event this process appends, after it is durable. Returns the way to stop. */
  subscribe(listener: RunListener): () => void;

  /** A run by its id. */
  run(id: string): Promise<Run | undefined>;
  /** The runs whose id starts with `part`, or has it after the dash: what a user types for short. */
  findRuns(part: string): Promise<Run[]>;
  runs(filter?: RunFilter): Promise<Run[]>;
  /** Every run of a family, in order of creation. */
  family(rootId: string): Promise<Run[]>;
  /** The runs that a run asked for, in order of creation. */
  children(parentId: string): Promise<Run[]>;
  /** The run that a step of a parent created, if it got that far. */
  childOf(parentId: string, parentStep: string): Promise<Run | undefined>;
  /** The forks and retries of a run, in order of creation. */
  madeFrom(runId: string): Promise<Run[]>;
  /** For each of `ids`, what the run and all its descendants took so far; it has entries of those descendants as well. */
  figures(ids: readonly string[]): Promise<Map<string, FamilyFigures>>;
  spec(runId: string): Promise<RunSpec | undefined>;
  /** The journal of a run, in order, from after `afterSeq` (default 0: all of it). */
  events(runId: string, afterSeq?: number): Promise<RunEvent[]>;

  /** Keeps a definition under the hash of its content. */
  putDefinition(definition: JsonObject): string;
  definition(hash: string): Promise<JsonObject | undefined>;

  /** Takes ownership of a family's unfinished runs; `false` when a living process owns it. */
  claim(rootId: string): Promise<boolean>;
  /** The roots of families with an unfinished run that no living process owns, oldest first. */
  abandoned(): Promise<string[]>;

  /** Asks the owner of a run for something; it is told through {@link onRequest}. */
  request(runId: string, kind: RunRequest["kind"], data: JsonValue): Promise<void>;
  /** What is asked of a run and was not done yet. */
  requestsTo(runId: string): Promise<RunRequest[]>;
  /**
   * Calls `handler` for requests to runs this process owns, a moment after they were made. One for which it resolves with
   * `false`, or rejects, is kept and comes again; others are forgotten.
   */
  onRequest(handler: (request: RunRequest) => Promise<boolean>): void;
  /**
   * Resolves after another process changed the store since the call, or after `signal` aborts. Call it before looking for
   * what may change, and wait for it afterwards: what happens during the look is not missed then. Rejects when the registry
   * fails.
   */
  changed(signal: AbortSignal): Promise<void>;

  /** Cached results, which later runs of the same task may return. */
  readonly cache: CacheTable;
  /**
   * Forgets families that ended before `before` (epoch milliseconds), and the definitions and images that only they had, and gives
   * their space back to the file system.
   */
  prune(before: number): Promise<Pruned>;
  /** Gives up ownership and closes the store; what was appended is durable first. */
  close(): Promise<void>;
}
