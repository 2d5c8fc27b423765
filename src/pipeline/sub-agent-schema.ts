import { eventPattern, longestEvent } from "./event-name.ts";
import type { JsonObject } from "../source/json.ts";

const text: JsonObject = { type: "string" };
const texts: JsonObject = { type: "array", items: text };
const table: JsonObject = { type: "object" };

function describe(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}

const agentConfig: JsonObject = {
  type: "object",
  properties: {
    name: describe(text, "The agent's name, or a path to one"),
    enabled: { type: "boolean", default: true },
    on: {
      description: "The events it runs on; default start",
      anyOf: [text, { type: "array", items: text, minItems: 1 }],
    },
    options: table,
  },
  required: ["name"],
};

/** The JSON Schema of what an agent of a pipeline returns. */
export const subAgentOutputSchema: JsonObject = {
  title: "SubAgentOutput",
  type: "object",
  properties: {
    coder_params: describe(table, "Replaces the parameters: return all of them, changed"),
    coder_prompt: describe(text, "Replaces the instruction"),
    coder_prompts: describe(
      texts,
      "Replaces the instruction, in segments; instead of coder_prompt",
    ),
    agent_result: { description: "Anything, for the agents that run later" },
    sub_agents_next: {
      type: "array",
      description: "Replaces the list of agents for later events",
      items: { anyOf: [text, agentConfig] },
    },
    emit_events: {
      type: "array",
      description: "Events for other agents, namespaced, such as my-agent::end",
      items: { type: "string", pattern: eventPattern, maxLength: longestEvent },
    },
    coder_redo: {
      type: "boolean",
      description: "true at end: the coder works once more, with the agents around it",
    },
    success: { type: "boolean", default: true, description: "false ends the whole pipeline" },
    error_msg: describe(text, "Why it failed; its presence is a failure"),
    error_details: describe(text, "More about the failure"),
  },
  additionalProperties: false,
};

const historyItem: JsonObject = {
  type: "object",
  properties: {
    config: agentConfig,
    event: text,
    agent_result: {},
    success: { type: "boolean" },
    error: { type: ["string", "null"] },
  },
  required: ["config", "event", "agent_result", "success", "error"],
};

const coderResponse: JsonObject = {
  type: "object",
  properties: {
    text: describe(text, "The coder's last words"),
    content_extruded: describe(text, "The same, by its name in pro@coder"),
    files_changed: texts,
    input: { description: "What the task was about; null without inputs" },
  },
  required: ["text", "content_extruded", "files_changed", "input"],
};

/** The JSON Schema of what an agent of a pipeline gets. */
export const subAgentInputSchema: JsonObject = {
  title: "SubAgentInput",
  type: "object",
  properties: {
    event: describe(text, "start, task::start, task::end, end, or an emitted event"),
    coder_prompt_dir: describe(text, "The folder of the prompt file, absolute"),
    coder_params: describe(table, "The parameters, without sub_agents"),
    coder_prompt: describe(text, "The segments, joined by a blank line"),
    coder_prompts: describe(texts, "The segments of the instruction"),
    agent_config: agentConfig,
    sub_agents_prev: { type: "array", items: historyItem },
    sub_agents_next: { type: "array", items: agentConfig },
    coder_responses: { type: "array", items: coderResponse },
    coder_task: {
      type: "object",
      properties: { index: { type: "integer" }, input: {} },
      required: ["index", "input"],
    },
    coder_redo_count: { type: "integer", minimum: 1 },
  },
  required: [
    "event",
    "coder_prompt_dir",
    "coder_params",
    "coder_prompt",
    "coder_prompts",
    "agent_config",
    "sub_agents_prev",
    "sub_agents_next",
  ],
  additionalProperties: false,
};
