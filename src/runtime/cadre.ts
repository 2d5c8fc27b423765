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
import type { PipelineRequest } from "./request/start-pipeline.ts";
import type { DelegateTools } from "./tools/delegate-tools.ts";

/** Options of {@link createCadre}. All are optional. */
export interface CadreOptions {
  /** The folder that agents work in and cannot leave. Default: the process's working directory. */
  cwd?: string;
  /** `provider:model`, an alias, or a model of the AI SDK's provider interface, version 3 or 4. Default: as configured. */
  model?: string | ModelObject;
  /**
   * Further models as objects, which are found by their id, `provider:model`, wherever a model is named. A resume of a run that
   * began with a model object in its request needs it here.
   */
  models?: readonly ModelObject[];
  /**
   * The models that take over, in this order, when requests to a model fail for good, for agents that have no others: at most 10
   * of `provider:model`, an alias, or a model as an object. Default: as configured, else none.
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
   * Tools of the program, which agents name like built-in ones: a list of tools and sets, or a set by name. Takes tools of
   * `defineTool`, and of the AI SDK as they are.
   */
  tools?: OwnTools;
  /**
   * Formats of agent files of your own, after Cadre's in precedence. Agents cannot write to their folders without a question, by
   * any Cadre of this process.
   */
  formats?: readonly CustomAgentFormat[];
  /** Additional agent files. */
  agentFiles?: readonly string[];
  /**
   * The folder of the registry; or `postgres()` of `cadre/postgres`; or an opened registry of your own, which this Cadre closes.
   * Default: `registry.url` of the configuration, else `CADRE_STATE_DIR`, else a folder for the project in the user's state folder.
   */
  registry?: string | RegistrySource | Registry;
  /**
   * What executes runs: `local`, this process; `dbos`, workers; or a function that makes the engine, for the first run. Default: the
   * setting `engine`, which is `local` by default.
   */
  engine?: CreateEngine | EngineName;
  /**
   * Settings of `.cadre/config.yaml`, in the same form, over those of files and of the environment. Lists are joined with theirs.
   * Other options of this object override it.
   */
  config?: GivenConfig;
  /** Limits of runs and families, which override those of the configuration. */
  limits?: Partial<LimitsConfig>;
  /** What runs may do without a question. Default: as configured, else `ask`. */
  mode?: PermissionMode;
  /** Whether commands run in a sandbox: `auto` (if the machine has one), `required` or `off`. Default: as configured, else `auto`. */
  sandbox?: SandboxConfig["mode"];
  /** Whether agents get `AGENTS.md` or `CLAUDE.md` of the folder they work in. Default: as configured, else true. */
  instructions?: boolean;
  /**
   * The model when none is configured and no provider has a key, looked up at that moment; `undefined` = none. A resume needs the
   * same one.
   */
  fallbackModel?: () => LanguageModelV4 | undefined;
  /**
   * Traces and metrics of runs for OpenTelemetry: with providers of your own, or `environment` for the variables `OTEL_*`, which
   * the command reads. Default: none.
   */
  telemetry?: TelemetryOptions | "environment";
  /** Interceptors at the points of every run, in this order. */
  hooks?: readonly Hooks[];
  /**
   * Answers permission questions of runs at any depth. `wait`: they wait for {@link Cadre.answer} of any process. Absent: no user can
   * answer, so calls that need an answer are denied. A question that is answered elsewhere meanwhile aborts the signal.
   */
  onApproval?: Ask | "wait";
  /** Answers questions of MCP servers, own tools and agents (`AskUser`). Absent: they are declined. */
  onElicit?: OnElicit;
  /** Answers a recipe's `user_prompt` parameters. Absent: such values are missing. */
  onParameter?: AskParameter;
  /**
   * Returns the text of a file as the program has it open, such as an editor, and `undefined` for a file that is not open. The path is
   * absolute, without symlinks, and in the folder that the agent works in. Agents read unsaved text instead of that on disk, and
   * change no file with unsaved text. Asked for files of at most 2 MiB. Absent: files are as they are on disk.
   */
  readOpenText?: ReadOpenText;
  /**
   * The time of runs: time limits, waits before retries, budgets of time, the watchdog. Default: the machine's clock. The registry,
   * which processes share, keeps the machine's time. `cadre/testing` has a clock for tests.
   */
  clock?: Clock;
  /**
   * Whether this process executes the runs that it starts. `false`: they are recorded with everything they need, and wait until
   * {@link Cadre.resume} of another process executes them. Default true.
   */
  executes?: boolean;
  /** Run the project's code although its folder is not trusted. Default false. */
  trust?: boolean;
  /** Default: `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. Default: the machine's. */
  home?: string;
}

/** Options of {@link Cadre.resume}. */
export interface ResumeOptions {
  /** Called for each family that is refused while others continue, except for that of `id`. Default: a warning of the process. */
  onRefused?: (rootId: string, error: CadreError) => void;
  /** Whether the families without a process that wait for the named one, or for which it waits, are continued too. Default true. */
  others?: boolean;
}

/** The agents and runs of a project. Created by {@link createCadre}. */
export interface Cadre {
  /** The configuration in effect, with the problems of its files. */
  readonly configuration: LoadedConfig;
  /**
   * The folder of the registry and of what runs leave on this machine, absolute; `configuration.sources.stateDir` says where the
   * setting comes from.
   */
  readonly stateFolder: string;
  /** Returns every agent, with the problems of their files. */
  agents(): Promise<Discovery>;
  /**
   * Starts a run. With a JSON Schema or the schema of an agent, the caller may name the type of `result.output`, which is
   * `unknown` else.
   *
   * @throws CadreError `agent-not-found`, `definition-invalid`, `model-unavailable`, `invalid-argument`, or `config-invalid` when a
   * configuration file has an error; and the reason of `signal` when it has aborted. No run was created then.
   */
  spawn<Output = unknown>(request: SpawnOptions<Output>): Promise<RunHandle<Output>>;
  /** Starts a run and waits for its result. Throws like {@link Cadre.spawn}. */
  run<Output = unknown>(request: SpawnOptions<Output>): Promise<RunResult<Output>>;
  /** Returns the agent of that name. Whether it exists is looked up when it is used. */
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
   * Searches the tasks and transcripts of all runs: tasks, messages, answers, calls, results and failures, the first 20,000 characters
   * of each. The index is a file beside the registry; a search first adds what happened since the one before.
   *
   * @throws CadreError `invalid-argument` for more than 16 words or 1,000 characters, and for an invalid cursor.
   */
  search(request: RunSearch): Promise<FoundRuns>;
  /**
   * Adds up the usage of the runs that were created in a time, each alone, by period, agent and model. That of an unfinished run may
   * be a second old.
   */
  usage(request: UsageRequest): Promise<UsageSum[]>;
  /** Lists a run and its descendants, in order of creation. */
  tree(id: string): Promise<RunOverview[]>;
  /**
   * Continues unfinished families whose process is gone: the one of `id` with those that wait for it, or all. A family that needs
   * more than is configured and trusted now (see docs/runs.md) is refused and stays as it is.
   *
   * @throws CadreError that says why the family of `id` was refused (`run-owned`, `not-trusted`, `model-unavailable`,
   * `invalid-argument` …). Without `id` only when none could continue and there is no `onRefused`.
   */
  resume(id?: string, options?: ResumeOptions): Promise<RunHandle[]>;
  /**
   * Starts a run that begins with the steps of another up to and including `at`: a step's key such as `model/3`, or the number of
   * a model step; default: its last step. `task` is then sent to it. The fork is a conversation of its own.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` that lists the steps.
   */
  fork(id: string, options?: { at?: string; task?: string }): Promise<RunHandle>;
  /**
   * Retries a failed run: in its family while its parent is running, which then gets the result, else as a root run. `raise` is
   * added to the limits that the run had.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when the run has not ended or has succeeded, or has no limit of that
   * kind.
   */
  retry(id: string, raise?: LimitRaise): Promise<RunHandle>;
  /** Lists the permission questions that wait for an answer, of all processes, the oldest first. */
  questions(): Promise<Question[]>;
  /**
   * Answers a waiting question by its id, whichever process executes the run. The first answer counts. Resolves with `true` once the
   * run has taken it, and with `false` when no process executes the run, which gets the answer when it is resumed.
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
   * Gives the conversation of a run a title (`null`: none), archives it, or takes it out of the archive.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` for a title that is empty or longer than 200 characters.
   */
  changeConversation(
    id: string,
    changes: { title?: string | null; archived?: boolean },
  ): Promise<Conversation>;
  /**
   * Deletes the conversation of a run with the journals, outputs and worktrees of all its runs, the latter as {@link Cadre.prune}
   * does.
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
  /** The commands that people type as `/name`: recipes, and files of prompts. */
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
  /**
   * Deletes conversations that ended more than `olderThanMs` ago, with all their families and worktrees. A branch with commits that no other branch has
   * is kept; so are worktrees with content that cannot be committed, which `keptWorktrees` lists. Resolves with the number of runs
   * and of bytes freed in the registry.
   */
  prune(
    olderThanMs: number,
  ): Promise<{ runs: number; freedBytes: number; keptWorktrees: string[] }>;
  /**
   * Iterates over the events of all runs, of every process, live, in the order in which they became durable, until `signal`
   * aborts. `after` is the position after which to begin, the empty text for the beginning; default: the end when the first event
   * is asked for. With `live: false` (default true) the iteration ends after the last durable event. Rejects when the registry
   * fails.
   */
  events(options?: {
    after?: string;
    live?: boolean;
    signal?: AbortSignal;
  }): AsyncGenerator<PositionedEvent, void>;
  /** Returns the position of the last durable event: {@link Cadre.events} from there has all that happens from now on. */
  position(): Promise<string>;
  /**
   * Calls `listener` for every event of runs that this process executes, once it is durable, with the state of the run (`own`:
   * its figures without descendants). The listener gets copies, and its errors do not affect runs; the first one is reported as
   * a process warning. The returned function unsubscribes.
   */
  onEvent(listener: RunListener): () => void;
  /**
   * The same for the output of running agents, which is not recorded: pieces of replies, and progress. The replies of all runs
   * are streamed meanwhile, which costs CPU time; {@link RunHandle.stream} streams those of one run.
   */
  onActivity(listener: (activity: RunActivity) => void): () => void;
  /**
   * The delegate tools for your own agent, as an AI SDK `ToolSet`, and for programs. An invalid request (such as an unknown
   * agent) throws, which the AI SDK reports to the model; a failed run returns text. `sessions_list` and labels cover the runs of
   * this Cadre; an id finds any run of the registry, and continues it when its process is gone.
   */
  tools(): Promise<DelegateTools>;
  /**
   * Adds an agent, for runs that begin from now on.
   *
   * @throws CadreError `definition-invalid`, also when an agent given in code has its name.
   */
  addAgent(agent: LibraryAgent): void;
  /**
   * Adds tools as the option `tools` does, for runs that begin from now on. Resolves when they can be used.
   *
   * @throws CadreError `config-invalid` that lists every problem; then none was added.
   */
  addTool(tool: OwnTool | OwnToolSet): Promise<void>;
  /**
   * Calls `onChange` shortly after files changed the agents and recipes or their descriptions. `agents` and `tools` then return
   * the new ones, and new runs get them. The returned function stops watching.
   */
  watchAgents(onChange: () => void): Promise<() => void>;
  /**
   * Ends every run of this process. With `leaveRuns` they stay unfinished, and {@link Cadre.resume} of any process continues
   * them.
   */
  close(options?: { leaveRuns?: boolean }): Promise<void>;
  /** The same as {@link Cadre.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
