import type { JsonObject } from "../../source/json.ts";
import { legacyFields } from "../prompt-file/entry.ts";
import { emittedEventSchema, subscribedEventSchema } from "../event/event-name.ts";
import { parameterSchemas } from "../prompt-file/parameter.ts";

const text: JsonObject = { type: "string" };
const texts: JsonObject = { type: "array", items: text };
const table: JsonObject = { type: "object" };
const flag: JsonObject = { type: "boolean" };
const name: JsonObject = { type: "string", pattern: "\\S" };

function describe(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}

/** Makes fields nullable. `null` is the same as leaving a field out. */
function optional(fields: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([key, schema]) => [key, { ...schema, ...orNull(schema) }]),
  );
}

function orNull({ type, anyOf }: JsonObject): JsonObject {
  if (typeof type === "string") return { type: [type, "null"] };
  return Array.isArray(anyOf) ? { anyOf: [...anyOf, { type: "null" }] } : {};
}

/** The schema of an agent's entry in an output. It refuses everything that `normalizeEntries` refuses. */
const writtenEntry: JsonObject = {
  type: "object",
  properties: {
    ...Object.fromEntries([...legacyFields.keys()].map((field) => [field, { not: {} }])),
    name: describe(name, "The agent's name, or a path to one"),
    ...optional({
      enabled: { ...flag, default: true },
      on: {
        description: "The events it runs on; default start",
        anyOf: [
          subscribedEventSchema,
          { type: "array", items: subscribedEventSchema, minItems: 1 },
        ],
      },
      options: {
        ...table,
        properties: optional({ merge_params: flag, model: name, temperature: { type: "number" } }),
      },
    }),
  },
  required: ["name"],
};

/**
 * The JSON Schema of an agent's output. It is at least as strict as `readOutput`, so that a model is asked to correct an
 * output that would be refused.
 */
export const subAgentOutputSchema: JsonObject = {
  title: "SubAgentOutput",
  type: "object",
  properties: optional({
    coder_params: {
      ...table,
      description: "Replaces the parameters: return all of them, changed",
      properties: optional(parameterSchemas),
    },
    coder_prompt: describe(text, "Replaces the instruction"),
    coder_prompts: describe(
      texts,
      "Replaces the instruction, in segments; instead of coder_prompt",
    ),
    agent_result: { description: "Any value, for later agents" },
    sub_agents_next: {
      type: "array",
      description: "Replaces the list of agents for later events",
      items: { anyOf: [name, writtenEntry] },
    },
    emit_events: {
      type: "array",
      description: "Events for other agents, namespaced, such as my-agent::end",
      items: emittedEventSchema,
    },
    coder_redo: describe(flag, "true at end: the pipeline runs again"),
    success: { ...flag, default: true, description: "false ends the whole pipeline" },
    error_msg: describe(text, "Why it failed; its presence is a failure"),
    error_details: describe(text, "More about the failure"),
  }),
  // Only one of the two, because together they may differ.
  if: { properties: { coder_prompts: { type: "null" } } },
  else: { properties: { coder_prompt: { type: "null" } } },
  additionalProperties: false,
};

/** The schema of an agent's entry in an input, with all defaults. */
const agentConfig: JsonObject = {
  type: "object",
  properties: { name: text, enabled: flag, on: texts, options: table },
  required: ["name", "enabled", "on"],
};

const historyItem: JsonObject = {
  type: "object",
  properties: {
    config: agentConfig,
    event: text,
    agent_result: {},
    success: flag,
    error: { type: ["string", "null"] },
  },
  required: ["config", "event", "agent_result", "success", "error"],
};

const coderResponse: JsonObject = {
  type: "object",
  properties: {
    text: describe(text, "The coder's last message"),
    content_extruded: describe(text, "The same text, under pro@coder's name"),
    files_changed: texts,
    input: { description: "The input of the task; null without inputs" },
  },
  required: ["text", "content_extruded", "files_changed", "input"],
};

/** The JSON Schema of an agent's input. */
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
