// The configuration with the origin of every value, the trusted folders, and the folder of the state.

import type { ExtensionConfig } from "../run/extension-config.ts";
import type { PermissionMode, PermissionRules } from "../run/permission.ts";
import type { HookCommands } from "../run/hook/hook-commands.ts";
import type { ScheduleSetting, TriggerSetting, WebhookSetting } from "./automation-setting.ts";
import type { ExtensionSetting } from "./extension-setting.ts";

/** A server with an OpenAI-compatible API, such as Ollama, vLLM, LM Studio or OpenRouter. */
export interface EndpointConfig {
  baseUrl: string;
  /** The environment variable with the key; absent = no key is sent. */
  apiKeyEnv?: string;
  headers?: Record<string, string>;
  /** The most input tokens of its models. */
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
  /** The most levels of descendants; the root is level 0. */
  depth: number;
  /** The most unfinished children of a run. */
  children: number;
  /** The most runs that execute at once in a process. */
  concurrency: number;
  /** The most runs of a family in total. */
  familyRuns: number;
  /** The longest silence: after it a run ends as stalled, and a model request is retried in the middle of its reply. */
  stallSeconds: number;
  /**
   * The longest wait for a streamed reply to begin, or for another reply to be complete. Default: 600, or one second
   * for each 20 tokens of the output limit, whichever is longer.
   */
  replySeconds?: number;
  /** The most retries of a model request. */
  modelRetries: number;
  /** The most characters of a tool result; a longer one is cut. */
  toolOutputCharacters: number;
}

/** The sandbox of commands. */
export interface SandboxConfig {
  /** `auto`: use a sandbox if the machine has one; `required`: refuse commands without one; `off`: use none. */
  mode: "auto" | "required" | "off";
  /** The network access of commands: none, all, or the hosts of some domains. */
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

/** What executes runs: the process that starts them, or workers, to which DBOS Transact brings them. */
export type EngineName = "local" | "dbos";

/**
 * How `cadre chat` calls the user: with the terminal's bell, and with a desktop notification by the sequence OSC 9 or OSC 777. `auto`: with
 * both where the terminal is known to show notifications; else with the bell.
 */
export type NotificationSetting = "auto" | "bell" | "osc9" | "osc777" | "off";

/** The configuration, complete with defaults. */
export interface Config {
  /** `provider:model` or an alias; absent = the first provider with a key. */
  model?: string;
  /** The models that take over, in this order, from a model that fails for good; absent = none. */
  fallbacks?: readonly string[];
  models: {
    aliases: Record<string, string>;
    endpoints: Record<string, EndpointConfig>;
    prices: Record<string, PriceConfig>;
    /** The most input tokens of models, by `provider:model` or model id. */
    contextTokens: Record<string, number>;
  };
  permissions: { mode: PermissionMode } & PermissionRules;
  limits: LimitsConfig;
  /** The MCP servers for agents, by name. */
  extensions: Record<string, ExtensionSetting>;
  /** Commands at the points of runs. */
  hooks: HookCommands;
  /** Whether the hooks of Claude Code's settings files (`.claude/settings.json` …) count too. */
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
  /** Whether agents get the instruction files: `AGENTS.md`, `CLAUDE.md`. */
  instructions: boolean;
  /** How `cadre chat` calls the user. */
  notifications: NotificationSetting;
  /** The folder of the registry, absolute. */
  stateDir: string;
  /** The registry in PostgreSQL. */
  registry: {
    /** The address of the database; absent = a file of SQLite in `stateDir`. */
    url?: string;
    /** The schema with the tables. */
    schema: string;
  };
  /** What executes the runs that are started. */
  engine: EngineName;
  /** Families that workers execute. */
  worker: {
    /** How many families a worker executes at once. */
    concurrency: number;
    /** A worker takes only families that need this label; absent = those that need none. */
    label?: string;
    /** The git repositories from which a worker gets files. */
    clones: readonly string[];
    /** How long a worker waits for its families after SIGTERM. */
    drainSeconds: number;
    /** How files reach workers: in the folder of the same path, or through git. */
    workspace: "same" | "git";
    /** The git remote by which they do, or its address. */
    remote: string;
    /** The most files that are not committed, and their size in millions of bytes. */
    maxFiles: number;
    maxMegabytes: number;
    /** Whether files that seem to hold secrets are pushed; without it they are refused. */
    pushSecrets: boolean;
    /** The commands that a worker runs in each checkout before the family's runs. */
    setup: readonly string[];
  };
  /** Requests for runs under a name. */
  triggers: Record<string, TriggerSetting>;
  /** Starts of triggers at certain times. */
  schedules: Record<string, ScheduleSetting>;
  /** HTTP servers that are told what happens to runs. */
  webhooks: Record<string, WebhookSetting>;
  /** The families that wait for workers. */
  queue: {
    /** The most of them; more are refused. */
    maxWaiting: number;
    /** The label that a worker needs to take families that are submitted here; absent = none. */
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
