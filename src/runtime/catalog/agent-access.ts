import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { resolveAip } from "../../aip/location/resolve-aip.ts";
import { checkFileModel } from "../../delegate/settings/choose-model.ts";
import { findAgent } from "../../delegate/request/find-agent.ts";
import type { RecipeSource } from "../../delegate/request/recipe-assignment.ts";
import type { AssignmentSource } from "../../delegate/request/to-assignment.ts";
import { CadreError } from "../../errors.ts";
import { createAgentDirectory } from "./agent-directory.ts";
import { isAgentPath, loadAgentAt, type AgentReferenceOptions } from "./agent-reference.ts";
import type { AipDelegation } from "../aip/aip-delegation.ts";
import { createAipModelChoice } from "../aip/aip-model-choice.ts";
import type { Catalog } from "./catalog.ts";
import type { AgentLookup } from "../pipeline/find-agent-problems.ts";
import type { PipelineServices } from "../pipeline/pipeline-port.ts";
import { createPromptPreparation } from "../pipeline/prepare-prompt.ts";

/** Options of {@link createAgentAccess}. */
export interface AgentAccessOptions extends Pick<AgentLookup, "isTrusted" | "resolveModel"> {
  catalog: Catalog;
  recipes: RecipeSource;
}

/** Finds agents for delegations: by name, and by path from prompt files and scripts. */
export interface AgentAccess
  extends
    AssignmentSource,
    Pick<PipelineServices, "findAgent" | "checkModel">,
    Pick<AipDelegation, "findAipTarget"> {}

/** Creates the lookup of agents for delegations. */
export function createAgentAccess(options: AgentAccessOptions): AgentAccess {
  const { catalog, recipes, isTrusted, resolveModel } = options;
  const { cwd } = recipes.search;
  const { isLater, formats, ownTools } = catalog;
  const referenceOptions: AgentReferenceOptions = {
    ...recipes.search,
    isTrusted,
    isLater,
    formats,
    ownTools,
  };
  const agents = createAgentDirectory(catalog);
  const find = async (reference: string, folder: string): Promise<AgentDefinition> =>
    isAgentPath(reference, formats)
      ? await loadAgentAt(reference, [folder, cwd], referenceOptions)
      : await findAgent(agents, reference, undefined);
  const checkModel: PipelineServices["checkModel"] = (asked) =>
    checkFileModel({ isTrusted }, asked);
  const chooseAipModel = createAipModelChoice({ ...recipes.search, isTrusted });
  return {
    ...agents,
    recipes,
    workspace: cwd,
    chooseAipModel,
    findAgent: find,
    async findAipTarget(reference, from) {
      const path = await findAipFile(reference, [from, cwd], referenceOptions);
      if (path !== undefined) return await loadAgentAt(path, [], referenceOptions);
      return await find(reference, from);
    },
    checkModel,
    preparePrompt: createPromptPreparation({
      findAgent: find,
      checkModel,
      chooseAipModel,
      resolveModel,
      cwd,
      isTrusted,
    }),
  };
}

/** Scripts may omit `.aip` and `main.aip`. */
async function findAipFile(
  reference: string,
  folders: readonly string[],
  { cwd, home }: AgentReferenceOptions,
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
