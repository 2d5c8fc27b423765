import type { BoardTask } from "../delegate/team/board.ts";
import type { EventFilter } from "../registry/registry.ts";
import type { LimitRaise } from "../run/budget.ts";
import type { RunEvent } from "../run/event.ts";
import type { RunResult } from "../run/result.ts";
import type { RunOverview } from "../run/run-overview.ts";
import type { ArtifactContent, RunArtifact } from "./artifact/artifact.ts";
import type { ContinueOptions } from "./spawn-options.ts";
import type { RunStreamPart } from "./stream/stream-part.ts";
import type { UIMessageChunk } from "./stream/ui-message-chunk.ts";

/** Options of functions that wait. */
export interface WaitOptions {
  /** Ends the wait with its reason. The run continues. */
  signal?: AbortSignal;
}

/** Options of {@link RunHandle.events}. */
export interface RunEventsOptions extends WaitOptions {
  /** Begins after the event with this number. Default 0: at the first event. */
  after?: number;
}

/** Options of {@link RunHandle.result}. */
export interface ResultOptions extends WaitOptions {
  /** The maximum wait in milliseconds. Default: no limit. */
  timeoutMs?: number;
}

/** Options of {@link RunHandle.stream}. */
export interface RunStreamOptions extends WaitOptions {
  /** Yields the output of all descendants, too. Default false: only when children begin and end. */
  descendants?: boolean;
}

/** One run, in this process or another. `Output` is the type of `result.output`. */
export interface RunHandle<Output = unknown> {
  readonly id: string;
  /** Returns the current state of the run. */
  state(): Promise<RunOverview>;
  /** Iterates over its journal, live, from the first event, or from the one after `after`, to the terminal one. */
  events(options?: RunEventsOptions): AsyncGenerator<RunEvent, void>;
  /** Returns its journal so far, or the events that `which` selects. */
  journal(which?: EventFilter): Promise<RunEvent[]>;
  /** Returns its output so far: the parts that {@link RunHandle.stream} yields, except pieces of replies that are arriving. */
  transcript(): Promise<RunStreamPart[]>;
  /** Lists its artifacts so far: images of its task and its results, and outputs that were too long for the model. */
  artifacts(): Promise<RunArtifact[]>;
  /** Opens one of its artifacts. @throws CadreError `invalid-argument` when it has none with this id. */
  artifact(id: string): Promise<ArtifactContent>;
  /** Returns its descendants so far, in order of creation: its children, their children, and so on. */
  descendants(): Promise<RunHandle[]>;
  /** Returns the task board of its family's team, in the order in which the tasks were added; empty without a team. */
  board(): Promise<BoardTask[]>;
  /**
   * Iterates over its output from the beginning to the end: texts, reasoning and tool calls as they arrive, results of tools,
   * children. In the process that executes the run, and in every process of a registry in PostgreSQL, replies arrive in pieces
   * while the stream is read; with SQLite, another process gets each complete reply. A stream may be read late, slowly, several
   * times and partly: it buffers nothing for its reader, and repeats everything that is recorded.
   */
  stream(options?: RunStreamOptions): AsyncGenerator<RunStreamPart, void>;
  /**
   * The agent's texts, as {@link RunHandle.stream} yields them. Each access starts from the beginning. A blank line separates the
   * texts of different replies.
   */
  readonly textStream: AsyncIterable<string>;
  /** The output as chunks of the AI SDK's UI message stream. Cancelling it does not affect the run. */
  toUIMessageStream(options?: WaitOptions): ReadableStream<UIMessageChunk>;
  /**
   * Waits for the end of the run. A failed run has a result, too. The promise rejects only when the registry fails, when `signal`
   * aborts, and with `timed-out` after `timeoutMs`. `state()` includes what detached descendants use later.
   */
  result(options?: ResultOptions): Promise<RunResult<Output>>;
  /**
   * Sends a message to the run, which reads it before its next model request. Resolves with the id of the message, or `undefined`
   * when the run has ended. The event `messages-delivered` confirms the delivery.
   */
  send(text: string): Promise<string | undefined>;
  /**
   * Raises limits of the active run: its timeout, its own budget. Resolves when they apply, or when the process that executes the
   * run will read the request; a refusal by that process is the event `warning-raised` of the run.
   *
   * @throws CadreError `invalid-argument` when the run has ended or has no such limit; `budget-exceeded` when the budgets above
   * it have less left.
   */
  raise(limits: LimitRaise): Promise<void>;
  /**
   * Continues the conversation of the run, which has ended: starts a new run after the latest turn of the conversation, with the
   * current definition of the agent and the current rights. Resolves with the handle of the new run.
   *
   * @throws CadreError `run-not-found`, `invalid-argument` when the latest turn has not ended or its agent is a program,
   * `agent-not-found` when its agent is gone, and the errors of `Cadre.spawn`. No run is then created.
   */
  continue<Next = Output>(request: string | ContinueOptions<Next>): Promise<RunHandle<Next>>;
  /**
   * Cancels the run and its descendants. Resolves when they have ended; with `false` when nothing was running. Detached
   * descendants end, too, even when the run itself had ended, unless `keepDetached` is true (default false).
   */
  cancel(reason?: string, options?: { keepDetached?: boolean }): Promise<boolean>;
}
