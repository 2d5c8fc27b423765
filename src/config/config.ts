import type { ExtensionConfig } from "../run/extension-config.ts";
import type { PermissionMode, PermissionRules } from "../run/permission.ts";
import type { ExtensionSetting } from "./extension-setting.ts";

/** A server that speaks OpenAI's protocol, such as Ollama, vLLM, LM Studio or OpenRouter. */
export interface EndpointConfig {
  baseUrl: string;
  /** The environment variable that holds the key; absent = no key is sent. */
  apiKeyEnv?: string;
  headers?: Record<string, string>;
  /** Input tokens its models can take. */
  contextTokens?: number;
}

/** US dollars per million tokens. */
export interface PriceConfig {
  input: number;
  output: number;
  /** Default: the price of input. */
  cacheRead?: number;
  /** Default: the price of input. */
  cacheWrite?: number;
}

/** The bounds of runs and families. */
export interface LimitsConfig {
  /** Levels of descendants; the root is 0. */
  depth: number;
  /** Children alive per run. */
  children: number;
  /** Runs at once in a process. */
  concurrency: number;
  /** Runs of one family in all. */
  familyRuns: number;
  /** A run without a sign of life for this long is ended as stalled; a model's reply that falls silent for this long is asked for again. */
  stallSeconds: number;
  /**
   * How long a model's reply may take to begin; to come, where it does not arrive word by word. Absent = 600, and for an
   * answer of more than 12,000 tokens a second for each 20 of them.
   */
  replySeconds?: number;
  /** Retries of one model call. */
  modelRetries: number;
  /** Characters of one tool result; more is cut. */
  toolOutputCharacters: number;
}

/** What commands run in. */
export interface SandboxConfig {
  /** `auto` = in a sandbox where the machine has one, `required` = otherwise not at all, `off` = never. */
  mode: "auto" | "required" | "off";
  /** What commands reach of the network: nothing, everything, or the hosts of some domains. */
  network: boolean | { allow: readonly string[] };
  /** Whether commands may use unix sockets. */
  unixSockets: boolean;
  /** Absolute paths that commands may write besides the workspace, `/tmp` and `~/.cache`; control files in the workspace, too. */
  writable: readonly string[];
  /** Absolute paths that commands may read besides the system, the workspace and toolchains. */
  readable: readonly string[];
}

/** Everything that can be configured, complete with defaults. */
export interface Config {
  /** `provider:model` or an alias; absent = the first provider with a key. */
  model?: string;
  models: {
    aliases: Record<string, string>;
    endpoints: Record<string, EndpointConfig>;
    prices: Record<string, PriceConfig>;
    /** Input tokens that models take, by `provider:model` or model id. */
    contextTokens: Record<string, number>;
  };
  permissions: { mode: PermissionMode } & PermissionRules;
  limits: LimitsConfig;
  /** The MCP servers that agents can use, by name. */
  extensions: Record<string, ExtensionSetting>;
  /** Who may delegate, and to whom. */
  delegation: {
    /** `strict`: no nesting, no Gemini models, mode `auto` only. */
    profile: "default" | "strict";
    nested: boolean;
    denyModels: readonly string[];
    requireMode: "any" | "auto";
  };
  sandbox: SandboxConfig;
  /** The folder of the registry, absolute. */
  stateDir: string;
}

/** What is in effect when nobody configured anything, but for the registry, which every project has one of. */
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
  delegation: { profile: "default", nested: true, denyModels: [], requireMode: "any" },
  sandbox: { mode: "auto", network: false, unixSockets: false, writable: [], readable: [] },
};

/** The configured extensions, complete. */
export function configuredExtensions({
  extensions,
}: Pick<Config, "extensions">): ExtensionConfig[] {
  return Object.entries(extensions).map(([name, setting]) => Object.assign({ name }, setting));
}
