// The contract of a pipeline's sub-agents: input, output, schemas and state.

import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { AgentConfig } from "../prompt-file/entry.ts";

/** One agent's run in the history that later agents see. */
export interface HistoryItem {
  config: AgentConfig;
  event: string;
  agent_result: JsonValue;
  success: boolean;
  error: string | null;
}

/** The coder's answer for one task. */
export interface CoderResponse {
  /** The coder's last message. */
  text: string;
  /** The same text, under pro@coder's name. */
  content_extruded: string;
  /** Relative to the workspace. */
  files_changed: string[];
  /** The item of `inputs`, or the path of a file of `input_globs`; `null` without inputs. */
  input: JsonValue;
}

/** The input of a pipeline's agent: a separate copy, plain JSON. */
export interface SubAgentInput {
  event: string;
  /** The folder of the prompt file, absolute. */
  coder_prompt_dir: string;
  /** Without `sub_agents`. The three lists of globs are always present. */
  coder_params: JsonObject;
  /** The segments, joined by blank lines. */
  coder_prompt: string;
  coder_prompts: string[];
  agent_config: AgentConfig;
  /** All earlier runs of agents, in order. */
  sub_agents_prev: HistoryItem[];
  /** The agents that can still run, in declaration order. */
  sub_agents_next: AgentConfig[];
  /** At `end` and events emitted there: one per task, in order. At `task::end`: that of the task. */
  coder_responses?: CoderResponse[];
  /** At `task::start`, `task::end` and events emitted there: the index of the task, from 0, and its input. */
  coder_task?: { index: number; input: JsonValue };
  /** The number of redos that agents requested; absent in the first round. */
  coder_redo_count?: number;
}

/** The entry of a sub-agent in a prompt file. Missing fields have defaults. */
export interface SubAgentEntry {
  name: string;
  /** Default `true`. */
  enabled?: boolean;
  /** Default `start`. */
  on?: string | string[];
  options?: JsonObject;
  [key: string]: JsonValue | undefined;
}

/** The output of a pipeline's agent. No output is a success without changes; `null` in a field is the same as no field. */
export interface SubAgentOutput {
  /**
   * Replaces the parameters; parameters not in it are lost. With `options.merge_params: true`, the default for an agent of an
   * AIPack pack, it is merged one level deep instead.
   */
  coder_params?: JsonObject;
  /** Replaces the instruction. */
  coder_prompt?: string;
  /** Replaces the instruction, in segments; an alternative to `coder_prompt`. */
  coder_prompts?: string[];
  /** Any value, for later agents. */
  agent_result?: JsonValue;
  /** Replaces the list of agents for later dispatches. */
  sub_agents_next?: (string | SubAgentEntry)[];
  /** Namespaced events, added to the end of the queue. */
  emit_events?: string[];
  /** `true` at `end`: after its agents, the pipeline begins again with the prompt file as first read. */
  coder_redo?: boolean;
  /** Default `true`; `false` ends the pipeline. */
  success?: boolean;
  /** A message; its presence ends the pipeline. */
  error_msg?: string;
  error_details?: string;
}

/** A valid, successful {@link SubAgentOutput}. */
export interface CheckedOutput {
  coder_params?: JsonObject;
  /** Also set when the agent returned `coder_prompt`. */
  coder_prompts?: string[];
  agent_result?: JsonValue;
  sub_agents_next?: AgentConfig[];
  emit_events?: string[];
  coder_redo?: boolean;
}
