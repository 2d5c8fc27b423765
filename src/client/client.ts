import type { FoundRecipe } from "../recipe/load/discover-recipes.ts";
import type { CacheEntry } from "../registry/cache-table.ts";
import type { PositionedEvent } from "../registry/registry.ts";
import type { ContinueDelegation } from "../delegate/request/assign-continuation.ts";
import type { GraphRequest } from "../delegate/graph/start-graph.ts";
import type { Budget, LimitRaise } from "../run/budget.ts";
import type { Delegation } from "../run/delegation.ts";
import type { RunEvent } from "../run/event.ts";
import type { QueueRequest } from "../run/queue/queue-request.ts";
import type { ApprovalAnswer } from "../run/permission.ts";
import type { RunResult } from "../run/result.ts";
import type { RunStatus } from "../run/run.ts";
import type { RunSteps } from "../run/timeline/steps.ts";
import type { RunArtifact } from "../runtime/artifact/artifact.ts";
import type { Schedule, Trigger, Webhook } from "../runtime/automation.ts";
import type { EvalOverview, RecordedEval } from "../runtime/eval/recorded-evals.ts";
import type { Conversation } from "../runtime/conversation.ts";
import type { PipelineRequest } from "../runtime/pipeline-request.ts";
import type { Question } from "../runtime/question.ts";
import type { RunSearch } from "../runtime/run-search.ts";
import type { RunStreamPart } from "../runtime/stream/stream-part.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { JsonValue } from "../source/json.ts";
import type {
  ServedAgent,
  ApiProject,
  EvalFile,
  EvalStartRequest,
  SearchAnswer,
  ServedRun,
  UsagePeriod,
  ContextWindow,
  UsedBudget,
} from "./answers.ts";

/** Options of `createClient`. */
export interface ApiClientOptions {
  /** The address of the server, such as `http://127.0.0.1:7338`. Default: in a browser, the address of the page. */
  url?: string;
  /** The `id` of a project of {@link ApiClient.listProjects}, which all other calls refer to. Default: the first project. */
  project?: string;
  /** The token of the server. Absent: the browser's cookie is used. */
  token?: string;
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call with its reason. */
  signal?: AbortSignal;
}

/** Options of calls that start runs. */
export interface StartOptions extends CallOptions {
  /** A key that makes the call repeatable: calls with the same key start one run. A key is valid for a day and for one request. */
  idempotencyKey?: string;
}

/** Selects the runs to list, newest first. */
export interface RunQuery {
  status?: readonly RunStatus[];
  agent?: string;
  /** Whether to include runs that other runs started. Default false. */
  all?: boolean;
  /** The maximum number of runs. Default 50, at most 500. */
  limit?: number;
  /** The `next` of the previous page. */
  cursor?: string;
}

/**
 * A client of the HTTP API: a method for each operation of `GET /api/v1/openapi.json`. `run` is the id of a run, the part of it
 * after the dash, or `last`.
 *
 * All methods throw {@link ApiError}: the problem that the server reported, or `unreachable` when there was no answer.
 */
export interface ApiClient {
  /** Lists the projects of the server. Calls without a project refer to the first. */
  listProjects(options?: CallOptions): Promise<{ projects: ApiProject[] }>;
  /** Creates a link that signs in one browser. The link is valid for ten minutes. */
  createSignInLink(options?: CallOptions): Promise<{ link: string }>;
  /** Lists runs of all processes, newest first. `next` is the cursor of the next page. */
  listRuns(
    query?: RunQuery,
    options?: CallOptions,
  ): Promise<{ runs: ServedRun[]; next: string | null }>;
  /** Lists conversations, the one with the latest turn first. */
  listConversations(
    query?: { archived?: boolean; limit?: number },
    options?: CallOptions,
  ): Promise<{ conversations: Conversation[] }>;
  /**
   * Searches tasks and transcripts for the words of `text`. Returns the matching runs, the run with the latest matching text first.
   * When `isComplete` is false, the index is being built, and a later search finds more.
   */
  searchRuns(query: RunSearch, options?: CallOptions): Promise<SearchAnswer>;
  readRun(run: string, options?: CallOptions): Promise<{ run: ServedRun }>;
  /** Lists a run and its descendants, in order of creation. */
  readTree(run: string, options?: CallOptions): Promise<{ runs: ServedRun[] }>;
  /** Lists the whole family of a run, in order of creation. */
  readFamily(run: string, options?: CallOptions): Promise<{ runs: ServedRun[] }>;
  /** Returns the conversation so far, as the parts of its stream. */
  readTranscript(
    run: string,
    options?: CallOptions,
  ): Promise<{ runId: string; parts: RunStreamPart[] }>;
  /** Returns what a run did and when, without any texts, for timelines. */
  readSteps(run: string, options?: CallOptions): Promise<RunSteps>;
  /** Returns the budget of a run, its usage, and the context window of its model; `null` for a run without a model. */
  readBudget(
    run: string,
    options?: CallOptions,
  ): Promise<{ budget: Budget | null; used: UsedBudget; context: ContextWindow | null }>;
  /** Returns events of a run after the event `after` (default 0), at most `limit` (default 200, at most 1,000). */
  listRunEvents(
    run: string,
    query?: { after?: number; limit?: number },
    options?: CallOptions,
  ): Promise<{ events: RunEvent[]; last: number }>;
  /** Iterates over the journal of a run, live, to its end. After a broken connection it continues after the last event. */
  readRunEvents(
    run: string,
    query?: { after?: number },
    options?: CallOptions,
  ): AsyncGenerator<RunEvent, void>;
  /**
   * Iterates over the events of all runs, or of the family of `root`, live. It begins after the position `after` (the empty string:
   * at the beginning; default: with new events), and continues where it was after a broken connection.
   */
  readEvents(
    query?: { after?: string; root?: string },
    options?: CallOptions,
  ): AsyncGenerator<PositionedEvent, void>;
  /**
   * Iterates over the output of a run from its beginning to its end, with replies as they arrive. A broken connection ends it with
   * `unreachable`; a new call starts from the beginning.
   */
  streamRun(
    run: string,
    query?: { descendants?: boolean },
    options?: CallOptions,
  ): AsyncGenerator<RunStreamPart, void>;
  /** Starts a run, which the server executes. */
  startRun(
    request: Delegation & { queue?: QueueRequest },
    options?: StartOptions,
  ): Promise<{ run: ServedRun }>;
  /** Lists the graph files of the project. */
  listGraphs(options?: CallOptions): Promise<{ graphs: { file: string }[] }>;
  /** Starts the runs of a graph file of the project. The path is relative to the project's folder. Returns the run that coordinates them. */
  startGraph(
    request: Omit<GraphRequest, "id"> & { file: string },
    options?: StartOptions,
  ): Promise<{ run: ServedRun }>;
  /** Starts the pipeline of a prompt file of the project (relative to its folder); returns its run. */
  startPipeline(
    request: Omit<PipelineRequest, "id"> & { file: string },
    options?: StartOptions,
  ): Promise<{ run: ServedRun }>;
  /** Continues the conversation of a run that has ended. */
  continueRun(
    run: string,
    request: ContinueDelegation & { queue?: QueueRequest },
    options?: StartOptions,
  ): Promise<{ run: ServedRun }>;
  /** Retries a failed run; `raise` is added to its limits. */
  retryRun(run: string, raise?: LimitRaise, options?: StartOptions): Promise<{ run: ServedRun }>;
  /** Starts a run with the steps of another run up to `at` (default: its last step). `task` is then sent to the new run; without it, the
   * last step of a successful run is refused, except as `at: "end"`, which only copies the conversation. */
  forkRun(
    run: string,
    request?: { at?: string; task?: string },
    options?: StartOptions,
  ): Promise<{ run: ServedRun }>;
  /** Starts a configured trigger, with `data`. */
  startTrigger(
    trigger: string,
    data?: JsonValue,
    options?: StartOptions,
  ): Promise<{ run: ServedRun }>;
  /** Continues the family of a run whose process is gone. The server executes it. */
  resumeRun(run: string, options?: CallOptions): Promise<{ runs: ServedRun[] }>;
  /** Ends a run and its descendants, and waits until they have ended. */
  cancelRun(
    run: string,
    request?: { reason?: string; keepDetached?: boolean },
    options?: CallOptions,
  ): Promise<{ isCancelled: boolean; run: ServedRun }>;
  /** Sends a message to an active run; `messageId` is null when it has ended. */
  sendMessage(
    run: string,
    request: { text: string },
    options?: CallOptions,
  ): Promise<{ runId: string; messageId: string | null }>;
  /** Adds to the existing limits of an active run. */
  raiseLimits(run: string, raise: LimitRaise, options?: CallOptions): Promise<{ run: ServedRun }>;
  /** Waits at most `wait` seconds (default 60, at most 600) for the result of a run, and then throws `timed-out`. */
  readResult(
    run: string,
    query?: { wait?: number },
    options?: CallOptions,
  ): Promise<{ result: RunResult }>;
  /** Lists the open permission questions, oldest first. */
  listQuestions(options?: CallOptions): Promise<{ questions: Question[] }>;
  /** Answers a question. `isTaken` is false when no process executes the run; the run gets the answer when it is resumed. */
  answerQuestion(
    request: { question: string; answer: ApprovalAnswer },
    options?: CallOptions,
  ): Promise<{ isTaken: boolean }>;
  listAgents(options?: CallOptions): Promise<{ agents: ServedAgent[]; diagnostics: Diagnostic[] }>;
  listRecipes(
    options?: CallOptions,
  ): Promise<{ recipes: FoundRecipe[]; diagnostics: Diagnostic[] }>;
  /** Lists the images of the task and of results, and the outputs that were too long for the model. */
  listArtifacts(run: string, options?: CallOptions): Promise<{ artifacts: RunArtifact[] }>;
  /** Returns the content of an artifact, with the artifact's type. */
  readArtifact(run: string, artifact: string, options?: CallOptions): Promise<Blob>;
  /** Lists the configured triggers and the requests that they start. */
  listTriggers(options?: CallOptions): Promise<{ triggers: Trigger[] }>;
  /** Lists the configured schedules, with their next times and last runs. */
  listSchedules(options?: CallOptions): Promise<{ schedules: Schedule[] }>;
  /** Lists the configured webhooks and their failures. */
  listWebhooks(options?: CallOptions): Promise<{ webhooks: Webhook[] }>;
  /** Lists the evals of all processes, newest first. `next` is the cursor of the next page. */
  listEvals(
    query?: { limit?: number; cursor?: string },
    options?: CallOptions,
  ): Promise<{ evals: EvalOverview[]; next: string | null }>;
  /** Returns an eval with its cases and its report so far. `evalId` is its id, the part of it after the dash, or `last`. */
  readEval(evalId: string, options?: CallOptions): Promise<RecordedEval>;
  /** Lists the eval files of the project. */
  listEvalFiles(options?: CallOptions): Promise<{ files: EvalFile[] }>;
  /** Starts an eval, which the server executes. */
  startEval(request: EvalStartRequest, options?: StartOptions): Promise<{ eval: EvalOverview }>;
  /** Continues an eval that was ended or whose process is gone. The server executes it. */
  resumeEval(evalId: string, options?: CallOptions): Promise<{ eval: EvalOverview }>;
  /** Ends an eval and its active runs. `isCancelled` is false when the server does not execute it. */
  cancelEval(
    evalId: string,
    options?: CallOptions,
  ): Promise<{ isCancelled: boolean; eval: EvalOverview }>;
  listCache(options?: CallOptions): Promise<{ entries: CacheEntry[] }>;
  clearCache(options?: CallOptions): Promise<{ deleted: number }>;
  /** Sums the usage of all runs by the time of their creation (UTC). Times are ISO 8601; default: the last 30 days. */
  readUsage(
    query?: { by?: "day" | "hour"; group?: "agent" | "model"; since?: string; until?: string },
    options?: CallOptions,
  ): Promise<{ periods: UsagePeriod[] }>;
}
