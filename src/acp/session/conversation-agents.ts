import type { AgentDefinition, Cadre, RunHandle } from "../../host.ts";

/** Lists the agents of conversations: all except recipes, which are commands. */
export async function listConversationAgents(
  cadre: Pick<Cadre, "agents">,
): Promise<AgentDefinition[]> {
  return (await cadre.agents()).agents.filter(({ source }) => source.format !== "recipe");
}

/** Returns the agent of a conversation: the agent of the latest turn, ignoring recipes. */
export async function findAgentOf(cadre: Cadre, run: RunHandle): Promise<string> {
  const known = new Set((await listConversationAgents(cadre)).map(({ name }) => name));
  for (let next: RunHandle | undefined = run; next !== undefined;) {
    const { agent, continues }: { agent: string; continues?: string } = await next.state();
    if (known.has(agent)) return agent;
    next = continues === undefined ? undefined : await cadre.find(continues);
  }
  return "main";
}
