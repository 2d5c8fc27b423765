import { type AgentColor, agentColors } from "../definition/agent.ts";
import type { DefinitionValues } from "./common-fields.ts";
import { readChoice, readText } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

const memories = { user: "user", project: "project", local: "local" } as const;

const colors = Object.fromEntries(agentColors.map((color) => [color, color])) as Record<
  AgentColor,
  AgentColor
>;

/** Reads the fields that Claude Code and Cadre's own format share: memory, first words and colour. None of them grants rights. */
export function readPersona(
  fields: Fields,
): Pick<DefinitionValues, "memory" | "initialPrompt" | "color"> {
  return {
    memory: readChoice(fields, "memory", memories, "warning"),
    initialPrompt: readText(fields, "initialPrompt"),
    color: readChoice(fields, "color", colors, "info"),
  };
}
