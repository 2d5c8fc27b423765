// The definition that every format is converted to, and the built-in agents.

import type { Budget } from "../../run/budget.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { HookCommands } from "../../run/hook/hook-commands.ts";
import type { OfferedRecipe } from "../../run/offered-recipe.ts";
import type { PermissionMode, PermissionRules } from "../../run/permission.ts";
import type { RetryPolicy } from "../../run/retry-policy.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import type { JsonObject } from "../../source/json.ts";
import { agentKindOf } from "./agent-kind.ts";

/**
 * The format of a definition's source: the name of an agent file format such as `claude`, or `recipe`, `aip`, `prompt` (the
 * prompt file of a pipeline), `library` (given in code) or `builtin` (part of Cadre).
 */
export type AgentFormat = string;

/** Where a definition was found. Earlier scopes take precedence. */
export type AgentScope = "library" | "project" | "user" | "builtin";

/** The source of a definition. */
export interface AgentSource {
  format: AgentFormat;
  scope: AgentScope;
  /** The file, absolute; `null` for a definition without a file. */
  path: string | null;
}

/**
 * An agent that can receive delegations, from any format. It is plain JSON and stored with every run, so that a resumed run has
 * its original definition.
 */
export interface AgentDefinition {
  name: string;
  description: string;
  /** The instructions, before the task is injected. Empty for a program agent. */
  systemPrompt: string;
  /** `provider:model` or an alias; absent = the parent's model. */
  model?: string;
  /** The models that take over, in this order, when requests to the model fail for good; absent = the parent's. */
  fallbacks?: readonly string[];
  temperature?: number;
  effort?: "low" | "medium" | "high";
  /** Default 50. */
  maxTurns?: number;
  /** Default 300. */
  timeoutSeconds: number;
  /** `acp:COMMAND args…`: the agent runs in that program, over the Agent Client Protocol. Absent = in Cadre's own loop. */
  runner?: string;
  /** Cadre's tool names (and `mcp__…` patterns); absent = all tools. */
  tools?: readonly string[];
  /** Applied before `tools`. */
  disallowedTools?: readonly string[];
  /** The agents it may delegate to; absent = all. */
  agents?: readonly string[];
  /**
   * Names of configured extensions, or configurations of the agent's own extensions; `*` adds the parent's. Absent = only
   * the parent's.
   */
  extensions?: readonly (string | ExtensionConfig)[];
  skills?: readonly string[];
  /** `false`: the agent does not get the instruction files (`AGENTS.md`, `CLAUDE.md`). Default true. */
  instructions?: boolean;
  /**
   * Where the agent keeps notes between its runs: in the user's home folder, in the project, or in a folder of the project that
   * is not shared.
   */
  memory?: "user" | "project" | "local";
  /** Text before the task of a run that was not delegated by another run. */
  initialPrompt?: string;
  /** The agent's colour in lists and trees on a terminal. */
  color?: AgentColor;
  permissionMode?: PermissionMode;
  /**
   * The agent's own rules, in addition to its ancestors': a call needs the permission of all of them. Patterns such as
   * `Bash(git:*)` in a tool list become such rules.
   */
  permissions?: PermissionRules;
  isolation?: "worktree";
  background?: boolean;
  /** Whether the agent belongs to the team of each family that it runs in. Default false. */
  team?: boolean;
  /** The maximum number of levels of descendants; 0 = the agent cannot delegate. */
  maxDepth?: number;
  budget?: Budget;
  /** JSON Schema. */
  inputSchema?: JsonObject;
  /** JSON Schema. */
  outputSchema?: JsonObject;
  retry?: RetryPolicy;
  /** Commands that are called at points of the agent's runs, in addition to the configured ones. */
  hooks?: HookCommands;
  /** The content of a prompt file, for the agent that runs its pipeline. */
  prompt?: PromptContent;
  /** The recipes that the agent may run by name; absent = all in the recipe folders. */
  recipes?: readonly OfferedRecipe[];
  /** Whether an earlier result is returned while its inputs are unchanged. */
  cache?: boolean;
  /** Whether the file turns the agent off. A disabled agent keeps its name, but cannot receive delegations. */
  disabled?: boolean;
  /** Keys that are not fields of the format, as written. */
  extra?: JsonObject;
  source: AgentSource;
  diagnostics: readonly Diagnostic[];
  /** The 1-based line of each field that the file sets, by field name. */
  lines: Readonly<Record<string, number>>;
  /** `path:line` of each field that another file sets. */
  origins?: Readonly<Record<string, string>>;
}

/** The colours of agents. */
export const agentColors = [
  "red",
  "blue",
  "green",
  "yellow",
  "purple",
  "orange",
  "pink",
  "cyan",
] as const;

/** The colour of an agent in the terminal, as in Claude Code. */
export type AgentColor = (typeof agentColors)[number];

/** The part of a prompt file that is needed to run it. Plain JSON. */
export interface PromptContent {
  params: JsonObject;
  instruction: string;
  /** Whether all of its agents, including the coder, are code and need no model. */
  isCode?: boolean;
}

/** The maximum turns of an agent whose definition sets none. */
export const defaultMaxTurns = 50;

/** The timeout of an agent whose definition sets none, in seconds. */
export const defaultTimeoutSeconds = 300;

/** Reports whether an agent is code rather than a prompt: a program, a pipeline or an `.aip` file. */
export function isProgram({ source }: Pick<AgentDefinition, "source">): boolean {
  return agentKindOf(source).isProgram;
}

/** Reports whether an agent needs a model. Code may use one, but need not. */
export function needsModel(definition: Pick<AgentDefinition, "source" | "prompt">): boolean {
  if (definition.source.format === "prompt") return definition.prompt?.isCode !== true;
  return !isProgram(definition);
}
