import type { Command } from "../editor/editor.ts";
import { listConversationAgents } from "./conversation-agents.ts";
import type { Session } from "./session.ts";
import type { Prompt } from "./to-prompt.ts";
import { readCommandLine } from "../../host.ts";

/** Lists the commands. An agent's command, as in `/code-reviewer the last commit`, switches to it; recipes and prompts last one turn. */
export async function listCommands(session: Session): Promise<Command[]> {
  const cadre = await session.cadre();
  const agents = await listConversationAgents(cadre);
  const taken = agents.map(({ name }) => name);
  const { commands } = await cadre.commands.list({ taken });
  const ofAgents = agents.map(({ name, description }) => ({
    name,
    description: description === "" ? `Talk with ${name}` : description,
    hint: "task",
  }));
  const ofProject = commands.map(({ name, description, argumentHint: hint }) =>
    hint === undefined ? { name, description } : { name, description, hint },
  );
  return [...ofAgents, ...ofProject];
}

/**
 * Parses a prompt that begins with a command. `/NAME task` gives the task to the agent NAME, for this and later turns.
 *
 * @throws CadreError when a recipe or prompt cannot be filled.
 */
export async function readCommand(session: Session, prompt: Prompt): Promise<Prompt> {
  const line = readCommandLine(prompt.task);
  if (line === undefined) return prompt;
  const { name, argument } = line;
  const cadre = await session.cadre();
  const agents = await listConversationAgents(cadre);
  if (agents.some((agent) => agent.name === name)) {
    if (argument === "") return prompt;
    session.choices.agent = name;
    return { ...prompt, task: argument };
  }
  const command = await cadre.commands.fill(name, argument);
  if (command === undefined) return prompt;
  for (const text of command.notes) session.show({ type: "notice", text });
  return { ...prompt, command };
}
