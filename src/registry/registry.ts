// The registry: the interface to journals, rows, leases and requests between processes.

import type { CacheTable } from "./cache-table.ts";
import type { ConversationTable } from "./conversation-table.ts";
import type { FileRecorder } from "./file-recorder.ts";
import type { Pruned } from "./pruned.ts";
import type { RunEvent, RunEventBody, RunEventType } from "../run/event.ts";
import type { FamilyFigures } from "../run/figures.ts";
import type { Run, RunSpec, RunStatus } from "../run/run.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";
import type { LeaderTable } from "./leader-table.ts";
import type { UsageRequest, UsageSum } from "./usage-sum.ts";
import type { LiveChannel } from "./live-channel.ts";
import type { WorkTable } from "./work-table.ts";

/** Selects the runs to list, newest first. */
export interface RunFilter {
  /** Only these runs. */
  ids?: readonly string[];
  status?: readonly RunStatus[];
  agent?: string;
  /** Only runs without a parent. */
  rootsOnly?: boolean;
  /** Only runs that come after the run of this id in the list, which lets a caller read it in pages. An unknown id: none. */
  before?: string;
  /** Default 50. */
  limit?: number;
}

/** Selects events of a run. */
export interface EventFilter {
  /** The number of the event after which to begin. Default 0: with the first event. */
  after?: number | undefined;
  /** The most events to return, which bounds the memory of a reader. A shorter list has all events that match. Default: no limit. */
  limit?: number | undefined;
  /** Returns events of these types only. Default: of all types. */
  types?: readonly RunEventType[] | undefined;
}

/** A request of one process to the owner of a run. */
export interface RunRequest {
  id: number;
  runId: string;
  kind: "cancel" | "message" | "retry" | "answer" | "raise";
  data: JsonValue;
}

/** An event with its position among the events of all runs. */
export interface PositionedEvent {
  /** What {@link Registry.eventsAfter} takes; its form is the registry's own. */
  position: string;
  event: RunEvent;
  /** The event as JSON on one line, where the registry has stored it so, which saves serializing it. */
  json?: string;
}

/** Receives events once they are durable. Must not throw. */
export type RunListener = (event: RunEvent, run: Run) => void;

/**
 * The store of runs: an append-only journal of events and the projections of it. Several processes, also of several
 * machines, may share one store; each has its own `Registry`. The built-in one keeps a file of SQLite.
 *
 * Everything that reads or changes the store is asynchronous, so that a database over a network can serve it. The
 * synchronous calls work on what this process has in memory: `append` applies an event to a run that this process owns
 * and queues it, `putContent` computes a hash and queues the content. `flushed` makes both durable.
 *
 * Methods that read return what is durable. Of the runs that this process owns, `run`, `figures` and the state machine
 * of `append` see every appended event at once.
 *
 * All methods throw {@link CadreError} `registry-unavailable` when the store cannot be read or written, and `closed`
 * after {@link Registry.close}. After a failed write the registry refuses every further write, keeps all durable events,
 * and aborts {@link Registry.failed}.
 */
export interface Registry {
  /** Identifies this process as an owner of runs, of all machines; each opened registry has its own id. */
  readonly ownerId: string;
  /**
   * Aborts when the registry can record nothing more: a write failed, another process took over the runs of this one
   * (`lease-lost`), or the store was deleted or replaced. The reason is the CadreError that every write throws from then
   * on. Code that waits for an event must wait for this signal too. Open the registry again to continue.
   */
  readonly failed: AbortSignal;
  /** Fails the registry. Called when a run cannot be ended, so that nothing waits for its end forever. */
  fail(error: unknown): void;

  /**
   * Adds an event to a run this process owns; `run-created` makes it the owner. The event is durable once `flushed`
   * resolves.
   *
   * @throws CadreError `run-not-found` for a run of another process or one that has ended, and what the state machine
   * refuses.
   */
  append(runId: string, body: RunEventBody): RunEvent;
  /**
   * Resolves when all events appended so far are durable.
   *
   * @throws CadreError `lease-lost` when another process took over the runs of this one.
   */
  flushed(): Promise<void>;
  /** Calls `listener` with each event this process appends, once it is durable. Returns the function that stops it. */
  subscribe(listener: RunListener): () => void;

  /** Returns the run with this id. */
  run(id: string): Promise<Run | undefined>;
  /** Returns the runs whose id starts with `part`, with or without the `r-` in front: a user may abbreviate ids. */
  findRuns(part: string): Promise<Run[]>;
  runs(filter?: RunFilter): Promise<Run[]>;
  /** Returns every run of a family, in order of creation. */
  family(rootId: string): Promise<Run[]>;
  /** Returns the children of a run, in order of creation. */
  children(parentId: string): Promise<Run[]>;
  /** Returns the run that a step of a parent created, if it did. */
  childOf(parentId: string, parentStep: string): Promise<Run | undefined>;
  /** Returns the forks, retries and continuations of a run, in order of creation. */
  madeFrom(runId: string): Promise<Run[]>;
  /**
   * Returns the usage, cost, turns and tool calls so far of each run in `ids` together with its descendants. The map
   * has entries for the descendants too.
   */
  figures(ids: readonly string[]): Promise<Map<string, FamilyFigures>>;
  /** Adds up the usage of runs by time, agent and model. That of an unfinished run may be a second old. */
  usage(request: UsageRequest): Promise<UsageSum[]>;
  spec(runId: string): Promise<RunSpec | undefined>;
  /** Returns the events of a run, in order. */
  events(runId: string, which?: EventFilter): Promise<RunEvent[]>;

  /**
   * Returns events of all runs, of every process, in the order in which they became durable: those after `position`, the
   * empty text for the beginning, a limited number at once. No event that becomes durable later comes before one that
   * was returned. An empty list = no more for now; {@link Registry.changed} and {@link Registry.subscribe} tell when to
   * ask again.
   *
   * @throws CadreError `invalid-argument` for a position that is not of this registry.
   */
  eventsAfter(position: string): Promise<PositionedEvent[]>;
  /** Returns the position of the last durable event. */
  lastPosition(): Promise<string>;

  /**
   * Stores a definition or an image under the hash of its JSON; returns the hash. It is durable once `flushed` resolves, and
   * no later than an event that is appended after it.
   */
  putContent(content: JsonObject): string;
  /** Returns the definition or the image that was stored under this hash. */
  content(hash: string): Promise<JsonObject | undefined>;

  /** Takes ownership of a family's unfinished runs; resolves with `false` when a living process owns one of them. */
  claim(rootId: string): Promise<boolean>;
  /** Returns the roots of the families whose unfinished runs no living process owns, oldest first. */
  abandoned(): Promise<string[]>;

  /** Sends a request to the owner of a run, which receives it through `onRequest`. */
  request(runId: string, kind: RunRequest["kind"], data: JsonValue): Promise<void>;
  /** Returns the pending requests to a run. */
  requestsTo(runId: string): Promise<RunRequest[]>;
  /**
   * Calls `handler` with each request to a run this process owns, shortly after it was made. A request is deleted when
   * `handler` resolves with `true`; when it resolves with `false` or rejects, the request is delivered again.
   */
  onRequest(handler: (request: RunRequest) => Promise<boolean>): void;
  /**
   * Resolves when another process has changed the store since the call, or when `signal` aborts. Call it before reading
   * the store and await it afterwards, so that no change during the read is missed. Rejects when the registry fails. With
   * `isAwaited` it may wait for the end of one of these runs, whatever else changes.
   */
  changed(signal: AbortSignal, isAwaited?: (runId: string) => boolean): Promise<void>;

  /** The results that later runs of the same task may return. */
  readonly cache: CacheTable;
  /** The conversations: the families of a conversation together. */
  readonly conversations: ConversationTable;
  /** Records the files of the runs that this process executes. Absent = files are only where they are. */
  readonly files?: FileRecorder;
  /** Which process does work that is done once for all. */
  readonly leaders: LeaderTable;
  /** The families that workers execute. Absent in a store of one machine. */
  readonly work?: WorkTable;
  /** Messages about the replies and outputs that are arriving. Absent: other processes see what is recorded. */
  readonly live?: LiveChannel;
  /**
   * Deletes the conversations all of whose families ended before `before` (epoch milliseconds), unless a run that is
   * kept continues one of their runs, with the definitions and images that no other run uses, and returns their space
   * to the file system.
   */
  prune(before: number): Promise<Pruned>;
  /** Makes all appended events durable, gives up ownership of all runs and closes the store. */
  close(): Promise<void>;
}

/** The methods that read runs. */
export type RegistryReaders = Pick<
  Registry,
  | "run"
  | "findRuns"
  | "runs"
  | "family"
  | "children"
  | "childOf"
  | "madeFrom"
  | "figures"
  | "usage"
  | "spec"
  | "events"
  | "content"
  | "eventsAfter"
  | "lastPosition"
>;
