import type { JsonValue } from "../source/json.ts";
import {
  type AgentDefinition,
  type AgentFormat,
  defaultMaxTurns,
  defaultTimeoutSeconds,
} from "./agent.ts";
import { geminiDefaults } from "./gemini.ts";

/** One field of a definition, as `cadre agents show` prints it. */
export interface AgentFieldRow {
  field: string;
  /** What is in effect; text for a default that is not a value, such as `all`. */
  value: JsonValue;
  /** `path:line`, the path of a file it was made out of, `default`, `default of FORMAT`, `built in` or `given in code`. */
  origin: string;
}

/** What is in effect for fields that a definition does not set. */
const defaults = {
  model: "the parent's",
  temperature: "the provider's",
  effort: "the provider's",
  maxTurns: defaultMaxTurns,
  runner: "Cadre's own loop",
  tools: "all",
  disallowedTools: "none",
  agents: "all",
  extensions: "the parent's",
  skills: "none",
  permissionMode: "the parent's",
  permissions: "the parent's",
  isolation: "none",
  background: false,
  maxDepth: "what is left",
  budget: "what is left",
  inputSchema: "none",
  outputSchema: "none",
  retry: "none",
  cache: false,
} as const;

/** What another program decides that an agent runs in. */
const runnerDefaults = {
  model: "the runner's",
  temperature: "the runner's",
  effort: "the runner's",
  maxTurns: "the runner's",
} as const;

/** What programs have where their files say nothing, as far as it is not what Cadre has. */
const formatDefaults: Partial<Record<AgentFormat, Readonly<Record<string, JsonValue>>>> = {
  gemini: geminiDefaults,
};

/** Fields that say where a definition is from, not what it does. */
const about = new Set(["source", "diagnostics", "lines", "origins"]);

/** The effective definition, field by field, with where each value came from. */
export function explainAgent(definition: AgentDefinition): AgentFieldRow[] {
  const written = Object.entries(definition).filter(([field]) => !about.has(field));
  const rows = written.map(([field, value]): AgentFieldRow => {
    return { field, value: value as JsonValue, origin: originOf(definition, field) };
  });
  const unwritten = { ...defaults, ...(definition.runner !== undefined && runnerDefaults) };
  const missing = Object.entries(unwritten).filter(([field]) => !Object.hasOwn(definition, field));
  return [
    ...rows,
    ...missing.map(([field, value]): AgentFieldRow => ({ field, value, origin: "default" })),
  ];
}

function originOf(
  { source, lines, origins, ...definition }: AgentDefinition,
  field: string,
): string {
  if (source.format === "builtin") return "built in";
  if (source.path === null) return "given in code";
  const elsewhere = origins?.[field];
  if (elsewhere !== undefined) return elsewhere;
  // `Agent(x, y)` in a tool list is what limits the agents, and unknown keys have no line of their own.
  const line = lines[field] ?? (field === "agents" ? lines.tools : undefined);
  if (line !== undefined) return `${source.path}:${line}`;
  if (formatDefaults[source.format]?.[field] !== undefined) return `default of ${source.format}`;
  // What is not written and no default was made out of the file: its name, or its text.
  const isDefault =
    field === "timeoutSeconds" && definition.timeoutSeconds === defaultTimeoutSeconds;
  return isDefault ? "default" : source.path;
}
