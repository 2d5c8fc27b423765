import type { Cadre, CadreOptions } from "../cadre.ts";
import type { LibraryAgent } from "../library-agent.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { checkAgents } from "../option/check-options.ts";
import { createOwnToolList, type OwnToolList } from "../own-tool/own-tool-list.ts";

/** The agents and tools that the program gave. */
export interface GivenInCode {
  ownTools: OwnToolList;
  agents: readonly LibraryAgent[];
  /** Creates the part of Cadre that adds agents and tools later. */
  addLater(catalog: Pick<Catalog, "add" | "forget">): Pick<Cadre, "addAgent" | "addTool">;
}

/**
 * Checks the tools in the options, and the agents, which may name them.
 *
 * @throws CadreError `config-invalid` or `definition-invalid` that lists every problem.
 */
export async function readGiven({ tools, agents = [] }: CadreOptions): Promise<GivenInCode> {
  const ownTools = createOwnToolList();
  if (tools !== undefined) await ownTools.add(tools);
  checkAgents(agents, ownTools.names());
  const all = [...agents];
  return {
    ownTools,
    agents,
    addLater: (catalog) => ({
      addAgent(agent) {
        checkAgents([...all, agent], ownTools.names());
        all.push(agent);
        catalog.add(agent);
      },
      async addTool(tool) {
        await ownTools.add([tool]);
        // Files may name it.
        catalog.forget();
      },
    }),
  };
}
