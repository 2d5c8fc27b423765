import type { AgentDefinition, Cadre, RunHandle } from "../../host.ts";

/** The agents of conversations: all but recipes, which are commands. */
export async function listConversationAgents(
  cadre: Pick<Cadre, "agents">,
): Promise<AgentDefinition[]> {
  return (await cadre.agents()).agents.filter(({ source }) => source.format !== "recipe");
}

/** The agent of a conversation: that of its latest turn whose agent is not a recipe. */
export async function findAgentOf(cadre: Cadre, run: RunHandle): Promise<string> {
  const known = new Set((await listConversationAgents(cadre)).map(({ name }) => name));
  for (let next: RunHandle | undefined = run; next !== undefined;) {
    const { agent, continues }: { agent: string; continues?: string } = await next.state();
    if (known.has(agent)) return agent;
    next = continues === undefined ? undefined : await cadre.find(continues);
  }
  return "main";
}
