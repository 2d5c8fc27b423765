import { isAbsolute, resolve } from "node:path";
import type { AgentDefinition } from "../agent/agent.ts";
import { loadFile } from "../agent/load-file.ts";
import { kindOf, readPackReference, resolveAip } from "../aip/resolve-aip.ts";
import { CadreError } from "../errors.ts";
import { isRecipeFile, type RecipePlace } from "../recipe/recipe-folder.ts";
import { formatDiagnostic } from "../source/diagnostic.ts";
import { isAipFile, loadGivenAip } from "./aip-agents.ts";
import { loadRecipeAgents } from "./recipe-agents.ts";

/** Where agents that are named by their paths are looked for. */
export interface ReferencePlace extends RecipePlace {
  isTrusted: (path: string) => boolean;
  /** See `AgentFileRequest.isLater`. */
  isLater: (path: string) => Promise<boolean>;
}

const agentFile = /\.(?:md|toml|ya?ml|json|m?[jt]s|aip)$/i;

/** Whether somebody names an agent by its path, or by its pack. */
export function isAgentPath(reference: string): boolean {
  return (
    isAbsolute(reference) ||
    /^\.{0,2}\//.test(reference) ||
    agentFile.test(reference) ||
    readPackReference(reference) !== undefined
  );
}

/**
 * The agent in the file that `reference` names, which is looked for in each of `folders` in turn.
 *
 * @throws CadreError `agent-not-found`, or `definition-invalid` for one with errors.
 */
export async function loadAgentAt(
  reference: string,
  folders: readonly string[],
  place: ReferencePlace,
): Promise<AgentDefinition> {
  const path = await findFile(reference, folders, place);
  const definition = await load(path, place);
  if (definition === null) {
    const message = `${path} is no agent: it has no frontmatter that names one.`;
    throw new CadreError("definition-invalid", message);
  }
  const problem = definition.diagnostics.find(({ severity }) => severity === "error");
  if (problem === undefined) return definition;
  const message = `The agent ${definition.name} cannot be used: ${formatDiagnostic(problem)}`;
  throw new CadreError("definition-invalid", message, { details: { problem: problem.code } });
}

async function findFile(
  reference: string,
  folders: readonly string[],
  { cwd, home }: ReferencePlace,
): Promise<string> {
  if (readPackReference(reference) !== undefined) {
    return (await resolveAip(reference, { workspace: cwd, home, from: cwd })).path;
  }
  const paths = isAbsolute(reference)
    ? [reference]
    : [...new Set(folders.map((folder) => resolve(folder, reference)))];
  for (const path of paths) if ((await kindOf(path)) === "file") return path;
  const message = `There is no agent ${reference}. Looked for: ${paths.join(", ")}.`;
  throw new CadreError("agent-not-found", message);
}

async function load(path: string, place: ReferencePlace): Promise<AgentDefinition | null> {
  if (isAipFile(path)) return await loadGivenAip(path, place);
  if (isRecipeFile(path)) {
    const [recipe = null] = await loadRecipeAgents([path], place);
    return recipe;
  }
  const { isTrusted, isLater } = place;
  return (await loadFile({ path, scope: "library", isTrusted, isLater })).definition;
}
