import type { ModelObject } from "../../model/model-object.ts";
import { givenObjects } from "../../model/given-models.ts";
import type { Cadre, CadreOptions } from "../cadre.ts";
import type { LibraryAgent } from "../library-agent.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { checkAgents } from "../option/check-options.ts";
import { createModelObjects, type ModelObjects } from "../services/model-objects.ts";
import { createOwnToolList, type OwnToolList } from "../own-tool/own-tool-list.ts";

/** The agents and tools that the program gave. */
export interface GivenInCode {
  ownTools: OwnToolList;
  agents: readonly LibraryAgent[];
  modelObjects: ModelObjects;
  /** Creates the part of Cadre that adds agents and tools later. */
  addLater(catalog: Pick<Catalog, "add" | "forget">): Pick<Cadre, "addAgent" | "addTool">;
}

/**
 * Checks the tools in the options, and the agents, which may name them.
 *
 * @throws CadreError `config-invalid` or `definition-invalid` that lists every problem.
 */
export async function readGiven(options: CadreOptions): Promise<GivenInCode> {
  const { tools, agents = [], model, models = [], fallbacks } = options;
  const modelObjects = createModelObjects();
  const ownTools = createOwnToolList();
  if (tools !== undefined) await ownTools.add(tools);
  checkAgents(agents, ownTools.names());
  const all = [...agents];
  const objects = [...models, ...givenObjects({ model, fallbacks }), ...agents.flatMap(objectsOf)];
  for (const one of objects) modelObjects.add(one);
  return {
    modelObjects,
    ownTools,
    agents,
    addLater: (catalog) => ({
      addAgent(agent) {
        checkAgents([...all, agent], ownTools.names());
        all.push(agent);
        for (const one of objectsOf(agent)) modelObjects.add(one);
        catalog.add(agent);
      },
      async addTool(tool) {
        await ownTools.add([tool]);
        // Definitions in files may name the tool, so they are read again.
        catalog.forget();
      },
    }),
  };
}

function objectsOf(agent: LibraryAgent): ModelObject[] {
  return "run" in agent ? [] : givenObjects(agent);
}
