// The runtime: `Cadre`, the object that connects all parts.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Clock } from "../clock.ts";
import type { Discovery } from "../agent/discover.ts";
import type { CustomAgentFormat } from "../agent/format/custom-format.ts";
import type { EngineName, LimitsConfig, PriceConfig, SandboxConfig } from "../config/config.ts";
import type { GivenConfig } from "../config/given-config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { GraphRequest } from "../delegate/graph/start-graph.ts";
import type { Hooks } from "../engine/hook/hooks.ts";
import type { Ask } from "../engine/run-context/approvals.ts";
import type { OnElicit } from "../extension/elicitation/elicitation.ts";
import type { ReadOpenText } from "../tool/unsaved/unsaved-text.ts";
import type { AskParameter } from "../recipe/parameter/parameter-values.ts";
import type { CreateEngine, RunActivity } from "../engine/engine.ts";
import type { Automation } from "./automation.ts";
import type { CadreError } from "../errors.ts";
import type { CacheEntry } from "../registry/cache-table.ts";
import type { RegistrySource } from "../registry/registry-source.ts";
import type { PositionedEvent, Registry, RunFilter, RunListener } from "../registry/registry.ts";
import type { WaitingFamily } from "../registry/waiting-family.ts";
import type { UsageRequest, UsageSum } from "../registry/usage-sum.ts";
import type { ModelObject } from "../model/model-object.ts";
import type { ModelProvider } from "../model/provider/given-provider.ts";
import type { TelemetryOptions } from "../telemetry/telemetry-options.ts";
import type { LimitRaise } from "../run/budget.ts";
import type { ApprovalAnswer, PermissionMode } from "../run/permission.ts";
import type { RunResult } from "../run/result.ts";
import type { RunOverview } from "../run/run-overview.ts";
import type { OwnTool, OwnTools, OwnToolSet } from "./own-tool.ts";
import type { Question } from "./question.ts";
import type { ProjectCommands } from "./project-commands.ts";
import type { RunChanges } from "./run-changes.ts";
import type { AgentHandle } from "./agent-handle.ts";
import type { LibraryAgent } from "./library-agent.ts";
import type { Conversation, ConversationListOptions } from "./conversation.ts";
import type { RunSearch, FoundRuns } from "./run-search.ts";
import type { SpawnOptions } from "./spawn-options.ts";
import type { RunHandle } from "./run-handle.ts";
import type { PipelineRequest } from "./pipeline-request.ts";
import type { DelegateTools } from "./tools/delegate-tools.ts";

/** Options of {@link createCadre}. All are optional. */
export interface CadreOptions {
  /** The folder that agents work in and cannot leave. Default: the process's working directory. */
  cwd?: string;
  /** `provider:model`, an alias, or a model of the AI SDK's provider interface, version 3 or 4. Default: as configured. */
  model?: string | ModelObject;
  /**
   * Further models as objects, found by their id, `provider:model`, wherever a model is named. A resume of a run whose request
   * had a model object needs the object here.
   */
  models?: readonly ModelObject[];
  /**
   * The models that take over, in this order, when requests to a model fail permanently. They apply to agents without their own.
   * At most 10; each is `provider:model`, an alias or a model object. Default: as configured, else none.
   */
  fallbacks?: readonly (string | ModelObject)[];
  /**
   * Providers of the AI SDK by name, version 3 or 4 of its interface. With `{ bedrock: createAmazonBedrock() }`, the model
   * `bedrock:ID` works wherever a model is named. They take precedence over configured and built-in providers of the same name.
   */
  providers?: Readonly<Record<string, ModelProvider>>;
  /** The context size of a `model` given as an object, in input tokens. Default: the known size for its id, else 32,768. */
  contextTokens?: number;
  /** The price of a `model` given as an object. Default: the configured price, else the list price for its id, else unknown. */
  price?: PriceConfig;
  /** Agents defined in code. They take precedence over files of the same name. */
  agents?: readonly LibraryAgent[];
  /**
   * Tools of the program, which agents name like built-in ones: a list of tools and sets, or a set by name. Accepts tools of
   * `defineTool`, and AI SDK tools without conversion.
   */
  tools?: OwnTools;
  /**
   * Your own formats of agent files, with lower precedence than Cadre's. In every Cadre of this process, agents must ask before
   * they write to the folders of these formats.
   */
  formats?: readonly CustomAgentFormat[];
  /** Additional agent files. */
  agentFiles?: readonly string[];
  /**
   * The registry: its folder, `postgres()` of `cadre/postgres`, or your own opened registry, which this Cadre closes.
   * Default: `registry.url` of the configuration, else `CADRE_STATE_DIR`, else a folder for the project in the user's state folder.
   */
  registry?: string | RegistrySource | Registry;
  /**
   * The engine that executes runs: `local` (this process), `dbos` (workers), or a function that creates an engine before the
   * first run. Default: the setting `engine`, which is `local` by default.
   */
  engine?: CreateEngine | EngineName;
  /**
   * Settings in the form of `.cadre/config.yaml`. They override files and the environment, and their lists are joined with those.
   * The other options of this object override them.
   */
  config?: GivenConfig;
  /** Limits of runs and families, which override those of the configuration. */
  limits?: Partial<LimitsConfig>;
  /** What runs may do without a question. Default: as configured, else `ask`. */
  mode?: PermissionMode;
  /** Whether commands run in a sandbox: `auto` (if the machine has one), `required` or `off`. Default: as configured, else `auto`. */
  sandbox?: SandboxConfig["mode"];
  /** Whether agents get the `AGENTS.md` or `CLAUDE.md` of the folder they work in. Default: as configured, else true. */
  instructions?: boolean;
  /**
   * The model when none is configured and no provider has a key, looked up at that moment; `undefined` = none. A resume needs the
   * same one.
   */
  fallbackModel?: () => LanguageModelV4 | undefined;
  /**
   * Traces and metrics of runs for OpenTelemetry: with your own providers, or `environment` for the variables `OTEL_*`, which the
   * command reads. Default: none.
   */
  telemetry?: TelemetryOptions | "environment";
  /** Interceptors at the points of every run, in this order. */
  hooks?: readonly Hooks[];
  /**
   * Answers permission questions of runs at any depth. `wait`: questions wait for {@link Cadre.answer} in any process. Absent: no
   * user can answer, so calls that need an answer are denied. When a question is answered elsewhere, its signal aborts.
   */
  onApproval?: Ask | "wait";
  /** Answers questions of MCP servers, own tools and agents (`AskUser`). Absent: they are declined. */
  onElicit?: OnElicit;
  /** Answers a recipe's `user_prompt` parameters. Absent: such values are missing. */
  onParameter?: AskParameter;
  /**
   * Returns the text of a file that the program, such as an editor, has open; `undefined` for a file that is not open. The path
   * is absolute, without symlinks, and in the agent's folder. Agents read unsaved text instead of the text on disk, and change no
   * file with unsaved text. Called for files of at most 2 MiB. Absent: agents use the files on disk.
   */
  readOpenText?: ReadOpenText;
  /**
   * The clock of runs: time limits, waits before retries, time budgets, the watchdog. Default: the machine's clock. The registry,
   * which processes share, always uses the machine's clock. `cadre/testing` has a clock for tests.
   */
  clock?: Clock;
  /**
   * Whether this process executes the runs that it starts. `false`: they are recorded with everything they need, and wait until
   * {@link Cadre.resume} in another process executes them. Default true.
   */
  executes?: boolean;
  /** Whether to run the project's code although its folder is not trusted. Default false. */
  trust?: boolean;
  /** Default: `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. Default: the machine's. */
  home?: string;
}

/** Options of {@link Cadre.resume}. */
export interface ResumeOptions {
  /** Called for each refused family while others continue, except the family of `id`. Default: a process warning. */
  onRefused?: (rootId: string, error: CadreError) => void;
  /** Whether to continue, too, the families without a process that wait for the named one, or that it waits for. Default true. */
  others?: boolean;
  /**
   * The ids of models that read or write files (`record:…`, `replay:…`, `scripted:…`), which the continued runs and those continued
   * later may use although the project is not trusted. Its own model and fallbacks need not be named. Default: none.
   */
  models?: readonly string[];
}

/** The agents and runs of a project. Created by {@link createCadre}. */
export interface Cadre {
  /** The configuration in effect, with the problems of its files. */
  readonly configuration: LoadedConfig;
  /**
   * The folder of the registry and of other data that runs leave on this machine, absolute. `configuration.sources.stateDir`
   * names the origin of the setting.
   */
  readonly stateFolder: string;
  /** Returns every agent, with the problems of their files. */
  agents(): Promise<Discovery>;
  /**
   * Returns the id, `provider:model`, of the model that a run with this reference asks; without one, of the default model. Asks
   * no provider, so a wrong key is not noticed.
   *
   * @throws CadreError `model-unavailable` when no provider, key or file of it is known.
   */
  resolveModel(reference?: string): Promise<string>;
  /**
   * Starts a run. With a JSON Schema or the schema of an agent, the caller may name the type of `result.output`, which is
   * otherwise `unknown`.
   *
   * @throws CadreError `agent-not-found`, `definition-invalid`, `model-unavailable`, `invalid-argument`, or `config-invalid` when
   * a configuration file has an error; and the reason of `signal` when it has aborted. No run is then created.
   */
  spawn<Output = unknown>(request: SpawnOptions<Output>): Promise<RunHandle<Output>>;
  /** Starts a run and waits for its result. Throws like {@link Cadre.spawn}. */
  run<Output = unknown>(request: SpawnOptions<Output>): Promise<RunResult<Output>>;
  /** Returns the agent with this name, which is looked up on use. */
  agent(name: string): AgentHandle;
  /**
   * Starts the pipeline of the prompt file at `path`, relative to `cwd`. `request` adds to the file, or replaces its parameters.
   *
   * @throws CadreError `invalid-argument` for another kind of file, and `definition-invalid` that lists every problem: nothing
   * was started.
   */
  spawnPipeline(path: string, request?: PipelineRequest): Promise<RunHandle>;
  /**
   * Starts the runs of the graph in the file at `path` as one family. The handle is that of the run that coordinates them.
   * `request` overrides the file.
   *
   * @throws CadreError `definition-invalid` that lists every problem of the file with its position: nothing was started.
   */
  spawnGraph(path: string, request?: GraphRequest): Promise<RunHandle>;
  /**
   * Finds a run by its id, the part of the id after its dash, or `last` for the newest root run.
   *
   * @throws CadreError `run-not-found` when none or several match.
   */
  find(id: string): Promise<RunHandle>;
  /** Lists runs, newest first. */
  runs(filter?: RunFilter): Promise<RunOverview[]>;
  /**
   * Searches the tasks and transcripts of all runs: tasks, messages, answers, calls, results and failures, the first 20,000
   * characters of each. The index is a file beside the registry; each search first adds what happened since the previous one.
   *
   * @throws CadreError `invalid-argument` for more than 16 words or 1,000 characters, and for an invalid cursor.
   */
  search(request: RunSearch): Promise<FoundRuns>;
  /**
   * Adds up the usage of the runs created in a time range, each without its descendants, by period, agent and model. The usage of
   * an unfinished run may be a second old.
   */
  usage(request: UsageRequest): Promise<UsageSum[]>;
  /** Lists a run and its descendants, in order of creation. */
  tree(id: string): Promise<RunOverview[]>;
  /**
   * Continues unfinished families whose process is gone: the family of `id` and those that wait for it, or all. A family that
   * needs more than is configured and trusted now (see docs/runs.md) is refused and stays as it is.
   *
   * @throws CadreError that says why the family of `id` was refused (`run-owned`, `not-trusted`, `model-unavailable`,
   * `invalid-argument` …). Without `id` only when none could continue and there is no `onRefused`.
   */
  resume(id?: string, options?: ResumeOptions): Promise<RunHandle[]>;
  /**
   * Starts a run that begins with the steps of another up to and including `at`: a step's key such as `model/3`, the number of a
   * model step, or `end` for its last step; default: its last step. `task` is then sent to it. The fork is a separate conversation.
   * From the last step of a successful run it needs a task; `at: "end"` without a task only copies the conversation.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` that lists the steps or says that a task is missing.
   */
  fork(id: string, options?: { at?: string; task?: string }): Promise<RunHandle>;
  /**
   * Retries a failed run. While its parent is running, the retry belongs to the same family and the parent gets its result;
   * otherwise it is a root run. `raise` is added to the limits that the run had.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when the run has not ended or has succeeded, or has no limit of that
   * kind.
   */
  retry(id: string, raise?: LimitRaise): Promise<RunHandle>;
  /** Lists the permission questions of all processes that wait for an answer, oldest first. */
  questions(): Promise<Question[]>;
  /**
   * Answers a waiting question by its id, whichever process executes the run. The first answer wins. Resolves with `true` once
   * the run has taken the answer, and with `false` when no process executes the run, which then gets the answer when it is
   * resumed.
   *
   * @throws CadreError `run-not-found`; `already-answered`, which says how; `invalid-argument` for an invalid answer, or when the run
   * does not ask the question.
   */
  answer(id: string, answer: ApprovalAnswer): Promise<boolean>;
  /**
   * Lists conversations, the one with the latest turn first. Continue one by its `lastRunId`: `(await cadre.find(id)).continue(text)`.
   */
  conversations(options?: ConversationListOptions): Promise<Conversation[]>;
  /**
   * Sets the title of a run's conversation (`null`: none), archives it, or unarchives it.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` for a title that is empty or longer than 200 characters.
   */
  changeConversation(
    id: string,
    changes: { title?: string | null; archived?: boolean },
  ): Promise<Conversation>;
  /**
   * Deletes the conversation of a run with the journals, outputs and worktrees of all its runs. Treats worktrees as {@link
   * Cadre.prune} does.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` while one of its runs has not ended, or another conversation, such as
   * a fork, continues one of them.
   */
  deleteConversation(
    id: string,
  ): Promise<{ runs: number; freedBytes: number; keptWorktrees: string[] }>;
  /** The result cache (`cache` of an agent or a request). */
  readonly cache: {
    /** Lists entries, newest first. */
    list(): Promise<CacheEntry[]>;
    /** Clears the cache; resolves with the number of entries. */
    clear(): Promise<number>;
  };
  /** The commands that users type as `/name`: recipes, and files of prompts. */
  readonly commands: ProjectCommands;
  /** The triggers, schedules and webhooks of the configuration. */
  readonly automation: Automation;
  /** The changes that runs with `isolation: worktree` made. */
  readonly changes: RunChanges;
  /** Resolves when this process executes no run, not even one that outlives its parent. */
  idle(): Promise<void>;
  /** Lists the root runs of the families that {@link Cadre.resume} would continue, oldest first. */
  resumable(): Promise<string[]>;
  /**
   * Returns how the family of a run waits for a worker, and why no worker can execute it; `undefined` when it does
   * not wait for one.
   *
   * @throws CadreError `run-not-found`.
   */
  waiting(id: string): Promise<WaitingFamily | undefined>;
  /** Lists the families that wait for a worker, in the order of the queue. */
  waitingFamilies(): Promise<WaitingFamily[]>;
  /**
   * Deletes conversations that ended more than `olderThanMs` ago, with all their families and worktrees. Keeps a branch with
   * commits that no other branch has, and worktrees with content that cannot be committed, which `keptWorktrees` lists. Resolves
   * with the number of runs and of bytes freed in the registry.
   */
  prune(
    olderThanMs: number,
  ): Promise<{ runs: number; freedBytes: number; keptWorktrees: string[] }>;
  /**
   * Iterates over the events of all runs, of every process, live, in the order in which they became durable, until `signal`
   * aborts. `after` is the position after which to begin; the empty text is the beginning. Default: the end at the time of the
   * first request. With `live: false` (default true) the iteration ends after the last durable event. Rejects when the registry
   * fails.
   */
  events(options?: {
    after?: string;
    live?: boolean;
    signal?: AbortSignal;
  }): AsyncGenerator<PositionedEvent, void>;
  /** Returns the position of the last durable event. {@link Cadre.events} after this position yields all later events. */
  position(): Promise<string>;
  /**
   * Calls `listener` for every event of runs that this process executes, once it is durable, with the state of the run (`own`:
   * its figures without descendants). The listener gets copies, and its errors do not affect runs; the first one is reported as
   * a process warning. The returned function unsubscribes.
   */
  onEvent(listener: RunListener): () => void;
  /**
   * Calls `listener` for the output of running agents that is not recorded: pieces of replies, and progress. The returned function
   * unsubscribes. While a listener is registered, the replies of all runs are streamed, which costs CPU time. {@link RunHandle.stream} streams the reply of one
   * run.
   */
  onActivity(listener: (activity: RunActivity) => void): () => void;
  /**
   * The delegate tools for your own agent, as an AI SDK `ToolSet`, and for programs. An invalid request (such as an unknown
   * agent) throws, which the AI SDK reports to the model; a failed run returns text. `sessions_list` and labels cover the runs of
   * this Cadre; an id finds any run of the registry, and continues it when its process is gone.
   */
  tools(): Promise<DelegateTools>;
  /**
   * Adds an agent for later runs.
   *
   * @throws CadreError `definition-invalid`, or when an agent given in code has its name.
   */
  addAgent(agent: LibraryAgent): void;
  /**
   * Adds tools for later runs, as the option `tools` does. Resolves when they can be used.
   *
   * @throws CadreError `config-invalid` that lists every problem; none is then added.
   */
  addTool(tool: OwnTool | OwnToolSet): Promise<void>;
  /**
   * Calls `onChange` shortly after files changed the agents and recipes or their descriptions. `agents` and `tools` then return
   * the new ones, and new runs get them. The returned function stops watching.
   */
  watchAgents(onChange: () => void): Promise<() => void>;
  /**
   * Ends every run of this process. With `leaveRuns` they stay unfinished, and {@link Cadre.resume} in any process continues
   * them.
   */
  close(options?: { leaveRuns?: boolean }): Promise<void>;
  /** The same as {@link Cadre.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
