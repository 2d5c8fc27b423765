import type { AgentDefinition } from "../agent/agent.ts";
import { resolveAip } from "../aip/resolve-aip.ts";
import { checkFileModel } from "../delegate/choose-model.ts";
import { type AgentSource, findAgent } from "../delegate/find-agent.ts";
import type { RecipeSource } from "../delegate/recipe-assignment.ts";
import type { AssignmentSource } from "../delegate/to-assignment.ts";
import { CadreError } from "../errors.ts";
import { isAgentPath, loadAgentAt, type ReferencePlace } from "./agent-reference.ts";
import type { AipDelegation } from "./aip-delegation.ts";
import { createAipModelChoice } from "./aip/aip-model-choice.ts";
import type { Catalog } from "./catalog.ts";
import type { PipelineServices } from "./pipeline-port.ts";
import { createPromptPreparation } from "./prepare-prompt.ts";

/** What {@link createAgentAccess} needs. */
export interface AgentAccessOptions {
  catalog: Catalog;
  recipes: RecipeSource;
  isTrusted: (path: string) => boolean;
}

/** How agents are found by those that delegate: by name, and by path from prompt files and scripts. */
export interface AgentAccess
  extends
    AssignmentSource,
    Pick<PipelineServices, "findAgent" | "checkModel">,
    Pick<AipDelegation, "findAipTarget"> {}

/** The agents of one Cadre for those that delegate. */
export function createAgentAccess(options: AgentAccessOptions): AgentAccess {
  const { catalog, recipes, isTrusted } = options;
  const { cwd } = recipes.place;
  const place: ReferencePlace = { ...recipes.place, isTrusted, isLater: catalog.isLater };
  const agents: AgentSource = {
    agents: async () => (await catalog.discover()).agents,
    problemsOf: (name) => catalog.problemsOf(name),
  };
  const find = async (reference: string, folder: string): Promise<AgentDefinition> =>
    isAgentPath(reference)
      ? await loadAgentAt(reference, [folder, cwd], place)
      : await findAgent(agents, reference, undefined);
  const checkModel: PipelineServices["checkModel"] = (asked) =>
    checkFileModel({ isTrusted }, asked);
  const chooseAipModel = createAipModelChoice({ ...recipes.place, isTrusted });
  return {
    ...agents,
    recipes,
    workspace: cwd,
    chooseAipModel,
    findAgent: find,
    async findAipTarget(reference, from) {
      const path = await findAipFile(reference, [from, cwd], place);
      if (path !== undefined) return await loadAgentAt(path, [], place);
      return await find(reference, from);
    },
    checkModel,
    preparePrompt: createPromptPreparation({
      findAgent: find,
      checkModel,
      chooseAipModel,
      cwd,
      isTrusted,
    }),
  };
}

/** Scripts leave out `.aip` and `main.aip`. */
async function findAipFile(
  reference: string,
  folders: readonly string[],
  { cwd, home }: ReferencePlace,
): Promise<string | undefined> {
  for (const from of folders) {
    try {
      return (await resolveAip(reference, { workspace: cwd, home, from })).path;
    } catch (error) {
      if (!(error instanceof CadreError) || error.code !== "agent-not-found") throw error;
    }
  }
  return undefined;
}
