import type { JsonObject, JsonValue } from "../source/json.ts";
import type { AgentConfig } from "./entry.ts";

/** What one agent did, as later agents see it. */
export interface HistoryItem {
  config: AgentConfig;
  event: string;
  agent_result: JsonValue;
  success: boolean;
  error: string | null;
}

/** What the coder answered for one task. */
export interface CoderResponse {
  /** The coder's last words. */
  text: string;
  /** The same: the name agents written for pro@coder know it by. */
  content_extruded: string;
  /** Relative to the workspace. */
  files_changed: string[];
  /** The item of `inputs`, or the path of a file of `input_globs`; `null` without inputs. */
  input: JsonValue;
}

/** What an agent of a pipeline gets; plain JSON, a copy of its own. */
export interface SubAgentInput {
  event: string;
  /** The folder of the prompt file, absolute. */
  coder_prompt_dir: string;
  /** Without `sub_agents`; the three lists of globs are always there. */
  coder_params: JsonObject;
  /** The segments, with a blank line between them. */
  coder_prompt: string;
  coder_prompts: string[];
  agent_config: AgentConfig;
  /** Every agent that ran before, in order. */
  sub_agents_prev: HistoryItem[];
  /** The agents that can still run, in declaration order. */
  sub_agents_next: AgentConfig[];
  /** At `end` and what is emitted then: one of each task, in order. At `task::end`: that of the task. */
  coder_responses?: CoderResponse[];
  /** At `task::start`, `task::end` and what is emitted then: which task, from 0, and what it is about. */
  coder_task?: { index: number; input: JsonValue };
  /** How often the coder was redone because an agent asked for it; absent in the first round. */
  coder_redo_count?: number;
}

/** A sub-agent as somebody writes it down; what is not written has its default. */
export interface SubAgentEntry {
  name: string;
  /** Default `true`. */
  enabled?: boolean;
  /** Default `start`. */
  on?: string | string[];
  options?: JsonObject;
  [key: string]: JsonValue | undefined;
}

/** What an agent of a pipeline returns; nothing at all is a success that changes nothing, and so is `null` in a field. */
export interface SubAgentOutput {
  /**
   * Replaces the parameters; what is not in it is lost. With `options.merge_params: true`, the default for an agent of an AIPack
   * pack, it is merged one level deep instead.
   */
  coder_params?: JsonObject;
  /** Replaces the instruction. */
  coder_prompt?: string;
  /** Replaces the instruction, in segments; instead of `coder_prompt`. */
  coder_prompts?: string[];
  /** Anything, for the agents that run later. */
  agent_result?: JsonValue;
  /** Replaces the list of agents for later dispatches. */
  sub_agents_next?: (string | SubAgentEntry)[];
  /** Namespaced events; they go to the end of the queue. */
  emit_events?: string[];
  /** `true` at `end`: when its agents ran, the pipeline begins again with the prompt file as it was read. */
  coder_redo?: boolean;
  /** Default `true`; `false` ends the pipeline. */
  success?: boolean;
  /** Its presence ends the pipeline. */
  error_msg?: string;
  error_details?: string;
}

/** What is left of a {@link SubAgentOutput} that was checked and is no failure. */
export interface CheckedOutput {
  coder_params?: JsonObject;
  /** Also where the agent returned `coder_prompt`. */
  coder_prompts?: string[];
  agent_result?: JsonValue;
  sub_agents_next?: AgentConfig[];
  emit_events?: string[];
  coder_redo?: boolean;
}
