import type { CheckRequest } from "../../agent/check.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { readReference, toReferenceNames } from "../../model/model-reference.ts";
import type { RecipeSearch } from "../../recipe/recipe-folder.ts";
import { type AgentAccess, createAgentAccess } from "./agent-access.ts";
import { createCatalog } from "./catalog.ts";
import type { AgentLookup } from "../pipeline/find-agent-problems.ts";

/** The project whose definitions are checked. */
export interface ProjectToCheck extends CheckRequest, RecipeSearch {
  configuration: LoadedConfig;
}

/** Finds the agents of a project as a run would, without running any. */
export function createCheckAccess(search: ProjectToCheck): AgentAccess & AgentLookup {
  const { isTrusted, configuration } = search;
  const references = toReferenceNames(configuration.config.models);
  // The usable models depend on keys, which may be missing here.
  const resolveModel = async (reference: string): Promise<unknown> =>
    await Promise.resolve(readReference(reference, references));
  const catalog = createCatalog([], search);
  const access = createAgentAccess({ catalog, recipes: { search }, isTrusted, resolveModel });
  return { ...access, isTrusted, resolveModel };
}
