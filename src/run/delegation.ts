import type { JsonObject, JsonValue } from "../source/json.ts";
import type { Budget } from "./budget.ts";
import type { PermissionMode, PermissionRules } from "./permission.ts";

/** A request for a run, from a delegate tool, the library or the command. Plain JSON. */
export interface Delegation {
  /** The name of the agent. */
  agent: string;
  /** Optional only for a recipe, whose prompt is its task. A given task is appended to the recipe's. */
  task?: string;
  /** Values for the parameters of a recipe. */
  parameters?: JsonObject;
  /**
   * Data in addition to the task. A program receives it as its input, an `.aip` agent as its only input, a prompt agent
   * as JSON after its task. At most 4 MiB of JSON. It must match the agent's `inputSchema`.
   */
  input?: JsonValue;
  /** Several inputs instead of `input`. Only for `.aip` agents, which process each input. At most 4 MiB of JSON. */
  inputs?: readonly JsonValue[];
  /** A readable name for the run: 1 to 100 characters on one line. */
  label?: string;
  /** `provider:model` or an alias; absent = the definition's, else the parent's, else the default. */
  model?: string;
  /**
   * The models that take over, in this order, when requests to the model fail for good: `provider:model` or an alias each, at most
   * 10; `[]` = none. Absent = the definition's, else the parent's, else the configured ones.
   */
  fallbacks?: readonly string[];
  temperature?: number;
  /** Seconds of running time, at most a day. Absent = the definition's. */
  timeoutSeconds?: number;
  /**
   * The runs that must end before this one begins: ids, or labels of runs in the family (for a root run: of the root runs that
   * this Cadre started). A label of several runs refers to the newest.
   */
  dependsOn?: string | readonly string[];
  /** Put the results of `dependsOn` before the task. Default false. */
  includeDependencyResult?: boolean;
  /**
   * What happens when a run of `dependsOn` does not succeed: the run fails with `dependency-failed` (`fail`, the default), or it
   * runs, and its task describes the failure (`run`).
   */
  onDependencyError?: "fail" | "run";
  /**
   * Data that the run and its descendants can read, added to the shared context of the parent. At most 1 MiB of JSON. The key
   * `$LABEL` with the value `"reference"` adds the result of the run LABEL and makes the run depend on it.
   */
  sharedContext?: JsonObject;
  /**
   * Whether the run executes in the background and delivers its result to the parent's conversation. Absent = the
   * definition's.
   */
  background?: boolean;
  /** Whether the run continues when its parent ends. Default false. */
  detach?: boolean;
  /**
   * Whether the run belongs to its family's team: it can send messages to the other members and uses their task board. Absent = the
   * definition's, else false.
   */
  team?: boolean;
  /** The number of retries after a failed attempt. Absent = the definition's, else 0. */
  retries?: number;
  /** The budget of the run and its descendants. Absent = the definition's. */
  budget?: Budget;
  /** JSON Schema that its output must match. Absent = the definition's. */
  outputSchema?: JsonObject;
  /**
   * The text of the result: a requested summary (`true`), all texts and tool results (`false`), or the final text
   * (absent).
   */
  summary?: boolean;
  /** Images of the task. */
  images?: readonly DelegatedImage[];
  /** Whether a cached result of an earlier run may be returned. Absent = the definition's. */
  cache?: boolean;
  /** The names of the configured extensions of the run; absent = the definition's, else the parent's. */
  extensions?: readonly string[];
  /** The folder that the run works in and cannot leave: its caller's, or a folder in it. Default: its caller's. */
  cwd?: string;
  /** A limit on actions without a question. The strictest of this mode and all other applicable modes counts. */
  mode?: PermissionMode;
  /** Rules that further restrict the run and its descendants. `allow` makes exceptions only to the `mode` of this request. */
  permissions?: Partial<Pick<PermissionRules, "allow" | "ask" | "deny">>;
  /** The agent's tools that the run gets, by names and patterns such as `mcp__github__*`. Absent = all of them. */
  tools?: readonly string[];
  /** The maximum number of replies. Absent = the definition's, else 50. */
  maxTurns?: number;
  /**
   * Options for the provider of the model, by the provider's name as the AI SDK calls it. They are sent unchanged with each
   * request and stored in the journal, so they must not hold secrets.
   */
  providerOptions?: ProviderOptions;
  toolChoice?: ToolChoiceSetting;
  /** Ends the run as succeeded when one of the conditions is met. Not for runs with an output schema. */
  stopWhen?: StopCondition | readonly StopCondition[];
  /**
   * Commands and files that complete the task, at most 100. They become tool calls of the agent before its first reply, in this
   * order, and need the same permissions as its other calls. A run with them is not cached.
   */
  taskCalls?: readonly TaskCall[];
}

/**
 * A part of a task that is determined when the run starts. The output of a `command`, a call of `Bash`, replaces the characters
 * of the task from `start` up to `end`, counted from 0. The content of a `file`, a call of `Read`, follows the task.
 */
export type TaskCall = { command: string; start: number; end: number } | { file: string };

/**
 * Which tools a model may call. `auto`: any or none. `none`: no tool in the whole run. `required` and `{ tool }`: the first reply
 * must call a tool, or this tool; later replies may call any or none.
 */
export type ToolChoiceSetting = "auto" | "none" | "required" | { tool: string };

/**
 * The condition on which a run ends with its agent's text so far: `toolCall` after a reply that calls this tool, once the reply's
 * calls are executed; `turns` after this number of replies.
 */
export type StopCondition = { toolCall: string } | { turns: number };

/** Options for providers, by the provider's name. */
export type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** An image of a request: its content in base64, or a file of the workspace. Its type is read from its bytes. */
export type DelegatedImage = ({ data: string } | { path: string }) & { mediaType?: string };
