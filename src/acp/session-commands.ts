import { listConversationAgents } from "./conversation-agents.ts";
import type { Prompt } from "./to-prompt.ts";
import type { Session } from "./session.ts";
import { chunk } from "./to-updates.ts";
import { readCommandLine } from "../host.ts";

/** Sends the commands to the editor: `/code-reviewer the last commit` switches to an agent; recipes and prompts are for one turn. */
export async function tellCommands(session: Session): Promise<void> {
  const cadre = await session.cadre();
  const agents = await listConversationAgents(cadre);
  const taken = agents.map(({ name }) => name);
  const { commands } = await cadre.commands.list({ taken });
  const ofAgents = agents.map(({ name, description }) => ({
    name,
    description: description === "" ? `Talk with ${name}` : description,
    input: { hint: "task" },
  }));
  const ofProject = commands.map(({ name, description, argumentHint }) => {
    const input = argumentHint === undefined ? null : { hint: argumentHint };
    return { name, description, input };
  });
  const availableCommands = [...ofAgents, ...ofProject];
  session.tell({ sessionUpdate: "available_commands_update", availableCommands });
}

/**
 * Reads a prompt that begins with a command. `/NAME task` is a task for the agent of that name, from this turn on.
 *
 * @throws CadreError when a recipe or prompt cannot be filled.
 */
export async function readCommand(session: Session, said: Prompt): Promise<Prompt> {
  const line = readCommandLine(said.task);
  if (line === undefined) return said;
  const { name, argument } = line;
  const cadre = await session.cadre();
  const agents = await listConversationAgents(cadre);
  if (agents.some((agent) => agent.name === name)) {
    if (argument === "") return said;
    session.choices.agent = name;
    return { ...said, task: argument };
  }
  const command = await cadre.commands.fill(name, argument);
  if (command === undefined) return said;
  for (const note of command.notes) session.tell(chunk("agent_thought_chunk", `${note}\n`));
  return { ...said, command };
}
