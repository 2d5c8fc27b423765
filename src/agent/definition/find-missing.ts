import { didYouMean, nearest } from "../../source/nearest.ts";
import type { AgentDefinition } from "./agent.ts";
import { agentKindOf } from "./agent-kind.ts";
import { hasTaskPlaceholder } from "./inject-task.ts";

/** A name in a definition that refers to nothing. The agent still runs. */
export interface MissingName {
  /** The field with the name. */
  field: "agents" | "skills" | "systemPrompt";
  /** A stable code in kebab-case. */
  code: string;
  message: string;
  fix: string;
}

/** Returns the agents that a definition names and that are not in `known`. */
export function findMissingAgents(
  { name, agents = [] }: Pick<AgentDefinition, "name" | "agents">,
  known: readonly string[],
): MissingName[] {
  return agents
    .filter((agent) => !known.includes(agent))
    .map((agent) => ({
      field: "agents",
      code: "agent-unknown",
      message: `Agent ${name} names the agent \`${agent}\`, which does not exist or has errors, so it cannot be delegated to.${didYouMean(agent, known)}`,
      fix: "Correct the name, or remove it.",
    }));
}

/** Returns the skills that a definition names and that are not in `known`. */
export function findMissingSkills(
  { name, skills = [] }: Pick<AgentDefinition, "name" | "skills">,
  known: readonly string[],
): MissingName[] {
  const names = known.join(", ") || "none";
  return [...new Set(skills)]
    .filter((skill) => !known.includes(skill))
    .map((skill) => ({
      field: "skills",
      code: "skill-unknown",
      message: `Agent ${name} names the skill \`${skill}\`, which does not exist. It runs without the skill. Available: ${names}.${didYouMean(skill, known)}`,
      fix: "Correct the name, or remove it.",
    }));
}

/** Returns a placeholder in the instructions that is probably a misspelt `{{task}}`. */
export function findMisspeltTask(definition: AgentDefinition): MissingName[] {
  const { name, systemPrompt, source } = definition;
  const { isProgram, takesParameters } = agentKindOf(source);
  // These use their own templates.
  if (isProgram || takesParameters || hasTaskPlaceholder(systemPrompt)) return [];
  const names = [...systemPrompt.matchAll(/\{\{[ \t]*(\w+)[ \t]*\}\}/g)].map(([, one = ""]) => one);
  const written = names.find((one) => nearest(one, ["task"]) !== null);
  if (written === undefined) return [];
  return [
    {
      field: "systemPrompt",
      code: "placeholder-unknown",
      message: `Agent ${name} has \`{{${written}}}\` in its instructions, which is not a placeholder; the task is appended to them. Did you mean \`{{task}}\`?`,
      fix: "Write `{{task}}` where the task belongs.",
    },
  ];
}
