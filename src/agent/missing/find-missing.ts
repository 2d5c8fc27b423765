import { didYouMean, nearest } from "../../source/nearest.ts";
import { type AgentDefinition, isProgram } from "../agent.ts";
import { hasTaskPlaceholder } from "../inject-task.ts";

/** Something that a definition names and that is not there; it runs without. */
export interface Missing {
  /** The field that names it. */
  field: "agents" | "skills" | "systemPrompt";
  /** Kebab-case and stable. */
  code: string;
  message: string;
  fix: string;
}

/** Agents that `agents` of a definition names and that are not among `known`. */
export function findMissingAgents(
  { name, agents = [] }: Pick<AgentDefinition, "name" | "agents">,
  known: readonly string[],
): Missing[] {
  return agents
    .filter((agent) => !known.includes(agent))
    .map((agent) => ({
      field: "agents",
      code: "agent-unknown",
      message: `Agent ${name} names the agent \`${agent}\`, which cannot be delegated to: it does not exist or has errors.${didYouMean(agent, known)}`,
      fix: "Correct the name in `agents`, or take it out.",
    }));
}

/** Skills that `skills` of a definition names and that are not among `known`. */
export function findMissingSkills(
  { name, skills = [] }: Pick<AgentDefinition, "name" | "skills">,
  known: readonly string[],
): Missing[] {
  const names = known.join(", ") || "none";
  return [...new Set(skills)]
    .filter((skill) => !known.includes(skill))
    .map((skill) => ({
      field: "skills",
      code: "skill-unknown",
      message: `Agent ${name} names the skill \`${skill}\`, which does not exist: it works without. There are: ${names}.${didYouMean(skill, known)}`,
      fix: "Correct the name in `skills`, or take it out.",
    }));
}

/** A placeholder of the instructions that was probably meant for the task, where there is none for it. */
export function findMisspeltTask(definition: AgentDefinition): Missing[] {
  const { name, systemPrompt, source } = definition;
  // Recipes have templates of their own.
  const isTemplate = isProgram(definition) || source.format === "recipe";
  if (isTemplate || hasTaskPlaceholder(systemPrompt)) return [];
  const names = [...systemPrompt.matchAll(/\{\{[ \t]*(\w+)[ \t]*\}\}/g)].map(([, one = ""]) => one);
  const written = names.find((one) => nearest(one, ["task"]) !== null);
  if (written === undefined) return [];
  return [
    {
      field: "systemPrompt",
      code: "placeholder-unknown",
      message: `Agent ${name} has \`{{${written}}}\` in its instructions, which is not replaced: the task comes after them. Did you mean \`{{task}}\`?`,
      fix: "Write `{{task}}` where the task belongs.",
    },
  ];
}
