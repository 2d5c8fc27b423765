import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { AgentDefinition } from "../agent/agent.ts";
import type { Discovery } from "../agent/discover.ts";
import type { ProgramAgent } from "../agent/program.ts";
import type { LimitsConfig, PriceConfig } from "../config/config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { GraphRequest } from "../delegate/graph/start-graph.ts";
import type { Delegation } from "../run/delegation.ts";
import type { Ask } from "../engine/approvals.ts";
import type { OnElicit } from "../extension/elicitation.ts";
import type { AskParameter } from "../recipe/parameter-values.ts";
import type { RunActivity } from "../engine/engine.ts";
import type { CadreError } from "../errors.ts";
import type { CacheEntry } from "../registry/cache-table.ts";
import type { RunFilter, RunListener } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import type { RunResult } from "../run/result.ts";
import type { RunOverview } from "../run/figures/run-overview.ts";
import type { DelegateTools } from "./delegate-tools.ts";

/** An agent given in code: a prompt with what an agent file's frontmatter can say, or a program. */
export type LibraryAgent =
  | ProgramAgent
  | (Pick<AgentDefinition, "name" | "description" | "systemPrompt"> &
      Partial<Omit<AgentDefinition, FileField>>);

/** What only an agent that was read from a file has. */
type FileField = "source" | "diagnostics" | "lines" | "origins" | "extra" | "prompt" | "recipes";

/** What {@link createCadre} can be told; everything has a default. */
export interface CadreOptions {
  /** The folder agents work in and are confined to. Default: the process's working directory. */
  cwd?: string;
  /** `provider:model`, an alias, or a model of the AI SDK's provider interface. Default: as configured. */
  model?: string | LanguageModelV4;
  /** How many input tokens a `model` given as an object takes. Default: what is known of its id, else 32,768. */
  contextTokens?: number;
  /** What a `model` given as an object costs. Default: as configured, else the list price of its id, else unknown. */
  price?: PriceConfig;
  /** Agents besides those found in files; they win over files of the same name. */
  agents?: readonly LibraryAgent[];
  /** Agent files besides those found. */
  agentFiles?: readonly string[];
  /** The folder of the registry. Default: `CADRE_STATE_DIR`, else one for the project in the user's state folder. */
  registry?: string;
  limits?: Partial<LimitsConfig>;
  /** How much runs may do without being asked. Default: as configured, else `ask`. */
  mode?: string;
  /** As `sandbox` of the configuration: `auto`, `off` or `required`. */
  sandbox?: string;
  /**
   * The model to ask where none is configured and no provider has a key, looked up then; `undefined` = there is none either.
   * It must be given again to resume what it began.
   */
  fallbackModel?: () => LanguageModelV4 | undefined;
  /** Answers questions of runs at any depth. Absent: there is nobody to ask, and what needs asking is denied. */
  onApproval?: Ask;
  /** Answers questions of MCP servers. Absent: they are declined. */
  onElicit?: OnElicit;
  /** Answers what a recipe asks the user for (`user_prompt`). Absent: such a value is missing. */
  onParameter?: AskParameter;
  /** Receive replies word by word, for `onActivity`; costs CPU. Default false. */
  stream?: boolean;
  /** Let code of the project run although its folder is not trusted. Default false. */
  trust?: boolean;
  /** Default: `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. Default: the machine's. */
  home?: string;
}

/** One run, of this process or another. */
export interface RunHandle {
  readonly id: string;
  /** The run as it stands. */
  state(): Promise<RunOverview>;
  /** Its journal, from the first event to the terminal one, live. */
  events(): AsyncGenerator<RunEvent, void>;
  /** Its journal so far. */
  journal(): Promise<RunEvent[]>;
  /**
   * Waits for its end. A failed run has a result too; this rejects only when the registry fails. What detached descendants take
   * after that end is in `state()`.
   */
  result(): Promise<RunResult>;
  /**
   * Says something to it, which it hears before its next model step; resolves with the id of the message, or `undefined`
   * when it has ended. The receipt is the event `messages-delivered`.
   */
  send(text: string): Promise<string | undefined>;
  /**
   * Ends it and its descendants, and resolves when they have ended; `false` when there was nothing to end. Detached descendants
   * end too, even when the run itself had ended before, unless `keepDetached` is true (default false).
   */
  cancel(reason?: string, options?: { keepDetached?: boolean }): Promise<boolean>;
}

/** How {@link Cadre.resume} goes. */
export interface ResumeOptions {
  /** Hears of each family that was refused while others go on, but not of that of `id`. Default: a warning of the process. */
  onRefused?: (rootId: string, error: CadreError) => void;
}

/** Everything a project can do with agents. Made by {@link createCadre}. */
export interface Cadre {
  /** The configuration in effect, and what is wrong with its files. */
  readonly configuration: LoadedConfig;
  /** The folder of the registry, absolute; `configuration.sources.stateDir` says why it is that one. */
  readonly stateFolder: string;
  /** Every agent there is, and what is wrong with their files. */
  agents(): Promise<Discovery>;
  /**
   * Starts a run.
   *
   * @throws CadreError `agent-not-found`, `definition-invalid`, `model-unavailable`, `invalid-argument`, or `config-invalid` when a
   * configuration file has an error: no run was created.
   */
  spawn(request: Delegation): Promise<RunHandle>;
  /**
   * Starts the runs of a graph, written down in the file at `path`, as one family; the handle is that of the run that
   * conducts them. `request` counts before what the file says.
   *
   * @throws CadreError `definition-invalid` that lists all that is wrong with the file, and where: nothing was started.
   */
  spawnGraph(path: string, request?: GraphRequest): Promise<RunHandle>;
  /**
   * A run of the registry by its id, the part of it behind the dash, or `last` for the newest root.
   *
   * @throws CadreError `run-not-found` when there is none or several fit.
   */
  find(id: string): Promise<RunHandle>;
  /** Runs, newest first. */
  runs(filter?: RunFilter): Promise<RunOverview[]>;
  /** A run and its descendants, in order of creation. */
  tree(id: string): Promise<RunOverview[]>;
  /**
   * Continues unfinished families whose process is gone: the one of `id` and those that wait for it, or all of them. A family that cannot be continued
   * with what is configured and trusted now (see docs/runs.md) stays as it is, and is refused.
   *
   * @throws CadreError that says why the one asked for was refused (`run-owned`, `not-trusted`, `model-unavailable`,
   * `invalid-argument` …); of all of them, only when none could be continued and there is no `onRefused`.
   */
  resume(id?: string, options?: ResumeOptions): Promise<RunHandle[]>;
  /**
   * Starts a run that begins with the steps of another up to and including `at`: a step's key such as `model/3`, or the
   * number of a model step. `task` is said to it then.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` that lists the steps there are.
   */
  fork(id: string, options: { at: string; task?: string }): Promise<RunHandle>;
  /**
   * Does once more what a run did not succeed in: in its family while its parent is at work, which hears of the result;
   * else as a run of its own.
   *
   * @throws CadreError `run-not-found`, or `invalid-argument` when it has not ended or succeeded.
   */
  retry(id: string): Promise<RunHandle>;
  /** The results kept for later runs (`cache` of an agent or a request). */
  readonly cache: {
    /** Newest first. */
    list(): Promise<CacheEntry[]>;
    /** Forgets all; resolves with how many there were. */
    clear(): Promise<number>;
  };
  /** Resolves when no run is at work in this process, those included that outlive their parents. */
  idle(): Promise<void>;
  /** The roots of the families that {@link Cadre.resume} would continue, oldest first. */
  resumable(): Promise<string[]>;
  /**
   * Forgets families that ended more than `olderThanMs` ago; resolves with how many runs that were, and how many bytes less the
   * registry takes now.
   */
  prune(olderThanMs: number): Promise<{ runs: number; freedBytes: number }>;
  /**
   * Calls `listener` for every event of runs this process executes, once it is durable, with the run as it is then (`own`: what it
   * alone took). An error of the listener does not affect runs: the first one is reported as a warning of the process. Returns a
   * function that ends the subscription.
   */
  onEvent(listener: RunListener): () => void;
  /** The same for what running agents say and report, which is not recorded. */
  onActivity(listener: (activity: RunActivity) => void): () => void;
  /**
   * The delegate tools for an agent of your own, in the AI SDK's form, and for programs. What is asked for wrongly (an
   * unknown agent) throws, which the AI SDK tells the model; a run that fails is a text that says so. `sessions_list` and
   * labels mean the runs of this Cadre; by its id, any run of the registry is found, and continued where nobody does.
   */
  tools(): Promise<DelegateTools>;
  /**
   * Calls `onChange` a moment after files changed what agents and recipes there are or how they are described; `agents`
   * and `tools` then give the new ones, and runs that start are offered them. Returns the way to stop.
   */
  watchAgents(onChange: () => void): Promise<() => void>;
  /**
   * Ends every run of this process and leaves nothing running. With `leaveRuns` they are not ended but left where they
   * are, for {@link Cadre.resume} of any process.
   */
  close(options?: { leaveRuns?: boolean }): Promise<void>;
}
