import type { Budget } from "../run/budget.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import type { OfferedRecipe } from "../run/offered-recipe.ts";
import type { PermissionMode, PermissionRules } from "../run/permission.ts";
import type { RetryPolicy } from "../run/retry-policy.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { JsonObject } from "../source/json.ts";

/**
 * The formats definitions are read from; `prompt` is a pipeline's prompt file, `library` one given in code, `builtin` ships
 * with Cadre.
 */
export type AgentFormat =
  | "cadre"
  | "program"
  | "acai"
  | "claude"
  | "opencode"
  | "copilot"
  | "gemini"
  | "codex"
  | "cursor"
  | "recipe"
  | "aip"
  | "prompt"
  | "library"
  | "builtin";

/** Where a definition was found; earlier scopes win. */
export type AgentScope = "library" | "project" | "user" | "builtin";

/** Where a definition came from. */
export interface AgentSource {
  format: AgentFormat;
  scope: AgentScope;
  /** The file, absolute; `null` for one that is not in a file. */
  path: string | null;
}

/**
 * What can be delegated to, whatever file it was written in. Plain JSON: it is stored with every run, so that a
 * resume uses the definition the run began with.
 */
export interface AgentDefinition {
  name: string;
  description: string;
  /** The instructions, before the task is injected. Empty for a program agent. */
  systemPrompt: string;
  /** `provider:model` or an alias; absent = the parent's model. */
  model?: string;
  temperature?: number;
  effort?: "low" | "medium" | "high";
  /** Default 50. */
  maxTurns?: number;
  /** Default 300. */
  timeoutSeconds: number;
  /** `acp:COMMAND args…`: it runs in that agent of the Agent Client Protocol; absent = in Cadre's own loop. */
  runner?: string;
  /** Cadre's tool names (and `mcp__…` patterns); absent = all tools. */
  tools?: readonly string[];
  /** Applied before `tools`. */
  disallowedTools?: readonly string[];
  /** The agents it may delegate to; absent = all. */
  agents?: readonly string[];
  /**
   * Names of configured extensions, or extensions of its own; `*` = the parent's, beside the others. Absent = the parent's
   * alone.
   */
  extensions?: readonly (string | ExtensionConfig)[];
  skills?: readonly string[];
  permissionMode?: PermissionMode;
  /** A level of its own, below what its ancestors allow: what `Bash(git:*)` in a tool list comes to. */
  permissions?: PermissionRules;
  isolation?: "worktree";
  background?: boolean;
  /** How many levels of descendants it may have; 0 makes it a leaf. */
  maxDepth?: number;
  budget?: Budget;
  /** JSON Schema. */
  inputSchema?: JsonObject;
  /** JSON Schema. */
  outputSchema?: JsonObject;
  retry?: RetryPolicy;
  /** What a prompt file says: its pipeline is the agent. */
  prompt?: PromptContent;
  /** The recipes it may have run by name; absent = those of the recipe folders. */
  recipes?: readonly OfferedRecipe[];
  /** Answer at once with an earlier result when nothing it rests on has changed. */
  cache?: boolean;
  /** Its file turned it off: it keeps its name, and cannot be delegated to. */
  disabled?: boolean;
  /** Keys of the file that are no field of its format, as written. */
  extra?: JsonObject;
  source: AgentSource;
  diagnostics: readonly Diagnostic[];
  /** The 1-based line each field came from, by field name; a field not in it has its default. */
  lines: Readonly<Record<string, number>>;
  /** `path:line` of the fields that came from another file than the definition's own. */
  origins?: Readonly<Record<string, string>>;
}

/** A prompt file, as far as running it goes. Plain JSON. */
export interface PromptContent {
  params: JsonObject;
  instruction: string;
  /** None of its agents is a prompt for a model, the coder included. */
  isCode?: boolean;
}

/** The turns an agent gets when its definition does not say. */
export const defaultMaxTurns = 50;

/** The seconds an agent gets when its definition does not say. */
export const defaultTimeoutSeconds = 300;

/** Whether an agent is code rather than a prompt for a model: its own, a pipeline's, or that of an `.aip` file. */
export function isProgram({ source }: Pick<AgentDefinition, "source">): boolean {
  return ["program", "prompt", "aip"].includes(source.format);
}

/** Whether there is no way to run an agent without a model. Code may ask one, or not. */
export function needsModel(definition: Pick<AgentDefinition, "source" | "prompt">): boolean {
  if (definition.source.format === "prompt") return definition.prompt?.isCode !== true;
  return !isProgram(definition);
}
