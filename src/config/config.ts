// The configuration with the origin of every value, the trusted folders, and the state folder.

import type { ExtensionConfig } from "../run/extension-config.ts";
import type { PermissionMode, PermissionRules } from "../run/permission.ts";
import type { HookCommands } from "../run/hook/hook-commands.ts";
import type { ScheduleSetting, TriggerSetting, WebhookSetting } from "./automation-setting.ts";
import type { ExtensionSetting } from "./extension-setting.ts";

/** A server with an OpenAI-compatible API, such as Ollama, vLLM, LM Studio or OpenRouter. */
export interface EndpointConfig {
  baseUrl: string;
  /** The environment variable with the key. Absent: no key is sent. */
  apiKeyEnv?: string;
  headers?: Record<string, string>;
  /** The maximum number of input tokens of the endpoint's models. */
  contextTokens?: number;
}

/** US dollars per million tokens. */
export interface PriceConfig {
  input: number;
  output: number;
  /** Default: the input price. */
  cacheRead?: number;
  /** Default: the input price. */
  cacheWrite?: number;
}

/** The limits of runs and families. */
export interface LimitsConfig {
  /** The maximum depth of descendants; the root has depth 0. */
  depth: number;
  /** The maximum number of unfinished children of a run. */
  children: number;
  /** The maximum number of runs that execute at once in a process. */
  concurrency: number;
  /** The maximum number of runs in a family. */
  familyRuns: number;
  /** The longest silence. After it, a run ends as stalled, and a model request is retried even in the middle of its reply. */
  stallSeconds: number;
  /**
   * The longest wait until a streamed reply begins, or until any other reply is complete. Default: 600, or one second
   * for each 20 tokens of the output limit, whichever is longer.
   */
  replySeconds?: number;
  /** The maximum number of retries of a model request. */
  modelRetries: number;
  /** The maximum number of characters of a tool result. A longer result is cut. */
  toolOutputCharacters: number;
}

/** The sandbox of commands. */
export interface SandboxConfig {
  /** `auto`: use a sandbox if the machine has one; `required`: refuse commands without one; `off`: use none. */
  mode: "auto" | "required" | "off";
  /** The network access of commands: none, all, or the hosts of given domains. */
  network: boolean | { allow: readonly string[] };
  /** Whether commands may use unix sockets. */
  unixSockets: boolean;
  /**
   * Absolute paths that commands may write in addition to the workspace, `/tmp` and `~/.cache`. They may include
   * control files in the workspace.
   */
  writable: readonly string[];
  /** Absolute paths that commands may read in addition to the system, the workspace and toolchains. */
  readable: readonly string[];
}

/** The executor of runs: the process that starts them, or workers to which DBOS Transact delivers them. */
export type EngineName = "local" | "dbos";

/**
 * How `cadre chat` notifies the user: with the terminal's bell, and with a desktop notification by the sequence OSC 9 or OSC 777.
 * `auto` uses both where the terminal is known to show notifications, and otherwise the bell.
 */
export type NotificationSetting = "auto" | "bell" | "osc9" | "osc777" | "off";

/** The configuration, complete with defaults. */
export interface Config {
  /** `provider:model` or an alias. Absent: the first provider with a key. */
  model?: string;
  /** The models that take over, in this order, when a model fails for good. Absent: none. */
  fallbacks?: readonly string[];
  models: {
    aliases: Record<string, string>;
    endpoints: Record<string, EndpointConfig>;
    prices: Record<string, PriceConfig>;
    /** The maximum number of input tokens of models, by `provider:model` or model id. */
    contextTokens: Record<string, number>;
  };
  permissions: { mode: PermissionMode } & PermissionRules;
  limits: LimitsConfig;
  /** The MCP servers for agents, by name. */
  extensions: Record<string, ExtensionSetting>;
  /** Commands that run at the hook points of runs. */
  hooks: HookCommands;
  /** Whether the hooks in Claude Code's settings files (`.claude/settings.json` …) apply too. */
  claudeHooks: boolean;
  /** The policy of delegations. */
  delegation: {
    /** `strict`: no nesting, no Gemini models, mode `auto` only. */
    profile: "default" | "strict";
    nested: boolean;
    denyModels: readonly string[];
    requireMode: "any" | "auto";
  };
  sandbox: SandboxConfig;
  /** Whether agents receive the instruction files `AGENTS.md` and `CLAUDE.md`. */
  instructions: boolean;
  /** How `cadre chat` notifies the user. */
  notifications: NotificationSetting;
  /** The absolute path of the registry's folder. */
  stateDir: string;
  /** The registry in PostgreSQL. */
  registry: {
    /** The address of the database. Absent: an SQLite file in `stateDir`. */
    url?: string;
    /** The schema with the tables. */
    schema: string;
  };
  /** The executor of the runs that are started. */
  engine: EngineName;
  /** Settings of workers. */
  worker: {
    /** The number of families that a worker executes at once. */
    concurrency: number;
    /** A worker takes only families that need this label. Absent: only families that need none. */
    label?: string;
    /** The git repositories from which a worker may get files. */
    clones: readonly string[];
    /** How long a worker waits for its families after SIGTERM, in seconds. */
    drainSeconds: number;
    /** How files reach workers: in the folder at the same path, or through git. */
    workspace: "same" | "git";
    /** The git remote for files that go through git: its name or address. */
    remote: string;
    /** The maximum number of uncommitted files, and their total size in millions of bytes. */
    maxFiles: number;
    maxMegabytes: number;
    /** Whether to push files that seem to contain secrets. Otherwise they are refused. */
    pushSecrets: boolean;
    /** The commands that a worker runs in each checkout before the family's runs. */
    setup: readonly string[];
  };
  /** Named requests for runs. */
  triggers: Record<string, TriggerSetting>;
  /** Starts of triggers at given times. */
  schedules: Record<string, ScheduleSetting>;
  /** HTTP servers that receive events of runs. */
  webhooks: Record<string, WebhookSetting>;
  /** Settings of the families that wait for workers. */
  queue: {
    /** The maximum number of waiting families. Further ones are refused. */
    maxWaiting: number;
    /** The label that a worker needs to take families submitted here. Absent: none. */
    needs?: string;
  };
}

/** The defaults of all settings except `stateDir`, which depends on the project. */
export const defaultConfig: Readonly<Omit<Config, "stateDir">> = {
  models: { aliases: {}, endpoints: {}, prices: {}, contextTokens: {} },
  permissions: { mode: "ask", allow: [], ask: [], deny: [] },
  limits: {
    depth: 3,
    children: 20,
    concurrency: 16,
    familyRuns: 500,
    stallSeconds: 120,
    modelRetries: 5,
    toolOutputCharacters: 30_000,
  },
  extensions: {},
  hooks: {},
  claudeHooks: false,
  delegation: { profile: "default", nested: true, denyModels: [], requireMode: "any" },
  sandbox: { mode: "auto", network: false, unixSockets: false, writable: [], readable: [] },
  instructions: true,
  notifications: "auto",
  registry: { schema: "cadre" },
  engine: "local",
  worker: {
    concurrency: 16,
    clones: [],
    drainSeconds: 30,
    workspace: "same",
    remote: "origin",
    maxFiles: 50_000,
    maxMegabytes: 100,
    pushSecrets: false,
    setup: [],
  },
  triggers: {},
  schedules: {},
  webhooks: {},
  queue: { maxWaiting: 10_000 },
};

/** Returns the configured extensions with their names. */
export function configuredExtensions({
  extensions,
}: Pick<Config, "extensions">): ExtensionConfig[] {
  return Object.entries(extensions).map(([name, setting]) => Object.assign({ name }, setting));
}
