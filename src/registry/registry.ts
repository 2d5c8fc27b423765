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
  /** Only runs after this run in the list, for reading it in pages. An unknown id selects none. */
  before?: string;
  /** Default 50. */
  limit?: number;
}

/** Selects events of a run. */
export interface EventFilter {
  /** The number of the event after which to begin. Default 0: at the first event. */
  after?: number | undefined;
  /**
   * The maximum number of events, which limits a reader's memory. A shorter list contains all matching events. Default: no limit.
   */
  limit?: number | undefined;
  /** Only events of these types. Default: all types. */
  types?: readonly RunEventType[] | undefined;
}

/** A request from one process to the owner of a run. */
export interface RunRequest {
  id: number;
  runId: string;
  kind: "cancel" | "message" | "retry" | "answer" | "raise";
  data: JsonValue;
}

/** An event with its position among the events of all runs. */
export interface PositionedEvent {
  /** The argument of {@link Registry.eventsAfter}. Each registry has its own format. */
  position: string;
  event: RunEvent;
  /** The event as JSON on one line, when the registry stores it so; saves serializing it. */
  json?: string;
}

/** Receives events once they are durable. Must not throw. */
export type RunListener = (event: RunEvent, run: Run) => void;

/**
 * The store of runs: an append-only journal of events, and its projections. Several processes, even on several machines, may
 * share one store; each has its own `Registry`. The built-in registry is a SQLite file.
 *
 * Everything that reads or changes the store is asynchronous, so that a database over a network can serve it. The synchronous
 * calls work in this process's memory: `append` applies an event to a run that this process owns and queues it, `putContent`
 * computes a hash and queues the content. `flushed` makes both durable.
 *
 * Read methods return durable data. For the runs that this process owns, `run`, `figures` and the state machine of `append` see
 * every appended event at once.
 *
 * All methods throw {@link CadreError} `registry-unavailable` when the store cannot be read or written, and `closed`
 * after {@link Registry.close}. After a failed write the registry refuses every further write, keeps all durable events,
 * and aborts {@link Registry.failed}.
 */
export interface Registry {
  /** Identifies this process among the owners of runs on all machines. Each opened registry has its own id. */
  readonly ownerId: string;
  /**
   * Aborts when the registry cannot record anything more: a write failed, another process took over this process's runs
   * (`lease-lost`), or the store was deleted or replaced. The reason is the CadreError that every later write throws. Code that
   * waits for an event must also wait for this signal. Open the registry again to continue.
   */
  readonly failed: AbortSignal;
  /** Fails the registry. Called when a run cannot be ended, so that nothing waits forever for its end. */
  fail(error: unknown): void;

  /**
   * Adds an event to a run that this process owns; `run-created` makes it the owner. The event is durable once `flushed`
   * resolves.
   *
   * @throws CadreError `run-not-found` for a run that another process owns or that has ended, and any error of the state machine.
   */
  append(runId: string, body: RunEventBody): RunEvent;
  /**
   * Resolves when all events appended so far are durable.
   *
   * @throws CadreError `lease-lost` when another process took over this process's runs.
   */
  flushed(): Promise<void>;
  /** Calls `listener` with each event that this process appends, once it is durable. Returns the function that stops it. */
  subscribe(listener: RunListener): () => void;

  /** Returns the run with this id. */
  run(id: string): Promise<Run | undefined>;
  /** Returns the runs whose id starts with `part`, with or without the prefix `r-`: users may abbreviate ids. */
  findRuns(part: string): Promise<Run[]>;
  runs(filter?: RunFilter): Promise<Run[]>;
  /** Returns every run of a family, in order of creation. */
  family(rootId: string): Promise<Run[]>;
  /** Returns the children of a run, in order of creation. */
  children(parentId: string): Promise<Run[]>;
  /** Returns the run that a step of a parent created; `undefined` if it created none. */
  childOf(parentId: string, parentStep: string): Promise<Run | undefined>;
  /** Returns the forks, retries and continuations of a run, in order of creation. */
  madeFrom(runId: string): Promise<Run[]>;
  /**
   * Returns the current usage, cost, turns and tool calls of each run in `ids`, including its descendants. The map also has
   * entries for the descendants.
   */
  figures(ids: readonly string[]): Promise<Map<string, FamilyFigures>>;
  /** Adds up the usage of runs by time, agent and model. The usage of an unfinished run may be a second old. */
  usage(request: UsageRequest): Promise<UsageSum[]>;
  spec(runId: string): Promise<RunSpec | undefined>;
  /** Returns the events of a run, in order. */
  events(runId: string, which?: EventFilter): Promise<RunEvent[]>;

  /**
   * Returns events of all runs, of every process, in the order in which they became durable: those after `position`, a limited
   * number at once. The empty text is the beginning. No event that becomes durable later precedes a returned one. An empty list
   * means that there are none for now; {@link Registry.changed} and {@link Registry.subscribe} tell when to ask again.
   *
   * @throws CadreError `invalid-argument` for a position that this registry did not return.
   */
  eventsAfter(position: string): Promise<PositionedEvent[]>;
  /** Returns the position of the last durable event. */
  lastPosition(): Promise<string>;

  /**
   * Stores a definition or an image under the hash of its JSON, and returns the hash. The content is durable once `flushed`
   * resolves, and no later than an event appended after it.
   */
  putContent(content: JsonObject): string;
  /** Returns the definition or the image stored under this hash. */
  content(hash: string): Promise<JsonObject | undefined>;

  /** Takes ownership of a family's unfinished runs. Resolves with `false` when a live process owns one of them. */
  claim(rootId: string): Promise<boolean>;
  /** Returns the roots of families whose unfinished runs no live process owns, oldest first. */
  abandoned(): Promise<string[]>;

  /** Sends a request to the owner of a run, which receives it through `onRequest`. */
  request(runId: string, kind: RunRequest["kind"], data: JsonValue): Promise<void>;
  /** Returns the pending requests to a run. */
  requestsTo(runId: string): Promise<RunRequest[]>;
  /**
   * Calls `handler` with each request to a run that this process owns, shortly after the request was made. The request is deleted
   * when `handler` resolves with `true`, and delivered again when it resolves with `false` or rejects.
   */
  onRequest(handler: (request: RunRequest) => Promise<boolean>): void;
  /**
   * Resolves when another process has changed the store since the call, or when `signal` aborts. Call it before you read the
   * store and await it afterwards, so that no change during the read is missed. Rejects when the registry fails.
   */
  changed(signal: AbortSignal): Promise<void>;

  /** The results that later runs of the same task may return. */
  readonly cache: CacheTable;
  /** The conversations, each with all its families. */
  readonly conversations: ConversationTable;
  /** Records the files of the runs that this process executes. Absent = files are not recorded. */
  readonly files?: FileRecorder;
  /** Elects the process that does work once for all processes. */
  readonly leaders: LeaderTable;
  /** The families that workers execute. Absent in a registry of one machine. */
  readonly work?: WorkTable;
  /** Messages about arriving replies and outputs. Absent: other processes see only what is recorded. */
  readonly live?: LiveChannel;
  /**
   * Deletes conversations whose families all ended before `before` (epoch milliseconds), and the definitions and images that no
   * other run uses. Keeps a conversation that has a run which a kept run continues. Returns the space to the file system.
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
