import type { AgentDirectory } from "../../delegate/request/find-agent.ts";
import type { Catalog } from "./catalog.ts";

/** The agents of a catalog, for lookups by name. */
export function createAgentDirectory(
  catalog: Pick<Catalog, "discover" | "problemsOf">,
): AgentDirectory {
  return {
    agents: async () => (await catalog.discover()).agents,
    problemsOf: async (name) => await catalog.problemsOf(name),
  };
}
