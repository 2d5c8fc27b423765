import type { JsonValue } from "../source/json.ts";
import {
  type AgentDefinition,
  defaultMaxTurns,
  defaultTimeoutSeconds,
} from "./definition/agent.ts";
import { isTextFormat } from "./find-format.ts";
import { agentFileFormats } from "./formats.ts";

/** One field of a definition, as `cadre agents show` prints it. */
export interface AgentFieldRow {
  field: string;
  /** The value in effect; text for a default that is not a value, such as `all`. */
  value: JsonValue;
  /** `path:line`, the path of the file if no line set it, `default`, `default of FORMAT`, `built in` or `given in code`. */
  origin: string;
}

/** The defaults of fields that a definition does not set. */
const defaults = {
  model: "the parent's",
  fallbacks: "the parent's",
  temperature: "the provider's",
  effort: "the provider's",
  maxTurns: defaultMaxTurns,
  runner: "Cadre's own loop",
  tools: "all",
  disallowedTools: "none",
  agents: "all",
  extensions: "the parent's",
  skills: "none",
  instructions: true,
  memory: "none",
  initialPrompt: "none",
  permissionMode: "the parent's",
  permissions: "the parent's",
  isolation: "none",
  background: false,
  team: false,
  maxDepth: "what is left",
  budget: "what is left",
  inputSchema: "none",
  outputSchema: "none",
  retry: "none",
  hooks: "none",
  cache: false,
} as const;

/** The defaults of agents that run in another program. */
const runnerDefaults = {
  model: "the runner's",
  temperature: "the runner's",
  effort: "the runner's",
  maxTurns: "the runner's",
} as const;

/** Fields that describe the source of a definition and not its effect. */
const about = new Set(["source", "diagnostics", "lines", "origins"]);

/** Returns every field of the effective definition with the origin of its value. */
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
  // `Agent(x, y)` in a tool list limits the agents.
  const line = lines[field] ?? (field === "agents" ? lines.tools : undefined);
  if (line !== undefined) return `${source.path}:${line}`;
  if (isDefaultOfFormat(source.format, field)) return `default of ${source.format}`;
  // Other values without a line come from the file as a whole: its name or its text.
  const isDefault =
    field === "timeoutSeconds" && definition.timeoutSeconds === defaultTimeoutSeconds;
  return isDefault ? "default" : source.path;
}

function isDefaultOfFormat(name: string, field: string): boolean {
  const format = agentFileFormats.find((one) => one.name === name);
  return (
    format !== undefined && isTextFormat(format) && Object.hasOwn(format.defaults ?? {}, field)
  );
}
