import { checkFileModel } from "../delegate/choose-model.ts";
import { type AgentSource, findAgent } from "../delegate/find-agent.ts";
import type { RecipeSource } from "../delegate/recipe-assignment.ts";
import type { AssignmentSource } from "../delegate/to-assignment.ts";
import { isAgentPath, loadAgentAt } from "./agent-reference.ts";
import type { Catalog } from "./catalog.ts";
import type { PipelineServices } from "./pipeline-port.ts";
import { createPromptPreparation } from "./prepare-prompt.ts";

/** What {@link createAgentAccess} needs. */
export interface AgentAccessOptions {
  catalog: Catalog;
  recipes: RecipeSource;
  isTrusted: (path: string) => boolean;
}

/** How agents are found by those that delegate: by name, and by path from prompt files. */
export interface AgentAccess
  extends AssignmentSource, Pick<PipelineServices, "findAgent" | "checkModel"> {}

/** The agents of one Cadre for those that delegate. */
export function createAgentAccess({
  catalog,
  recipes,
  isTrusted,
}: AgentAccessOptions): AgentAccess {
  const { cwd } = recipes.place;
  const agents: AgentSource = {
    agents: async () => (await catalog.discover()).agents,
    problemsOf: (name) => catalog.problemsOf(name),
  };
  const named: Pick<PipelineServices, "findAgent" | "checkModel"> = {
    findAgent: async (reference, folder) =>
      isAgentPath(reference)
        ? await loadAgentAt(reference, [folder, cwd], { ...recipes.place, isTrusted })
        : await findAgent(agents, reference, undefined),
    checkModel: (asked) => checkFileModel({ isTrusted }, asked),
  };
  const preparePrompt = createPromptPreparation({ ...named, cwd, isTrusted });
  return { ...agents, ...named, recipes, preparePrompt, workspace: cwd };
}
