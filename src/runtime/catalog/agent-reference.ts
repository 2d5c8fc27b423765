import { isAbsolute, resolve } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { hasExtension, builtInFormats } from "../../agent/find-format.ts";
import type { FormatTable } from "../../agent/format/agent-file-format.ts";
import { loadFile } from "../../agent/load-file.ts";
import { pathKind, readPackReference, resolveAip } from "../../aip/location/resolve-aip.ts";
import { CadreError } from "../../errors.ts";
import { isRecipeFile, type RecipeSearch } from "../../recipe/recipe-folder.ts";
import { formatDiagnostic } from "../../source/diagnostic.ts";
import { isAipFile, loadGivenAip } from "../aip/aip-agents.ts";
import { loadRecipeAgents } from "./recipe-agents.ts";

/** Where agents are looked up by path. */
export interface AgentReferenceOptions extends RecipeSearch {
  isTrusted: (path: string) => boolean;
  /** See `AgentFileRequest.isLater`. */
  isLater: (path: string) => boolean;
  /** Returns the names of the program's own tools. */
  ownTools: () => readonly string[];
  /** Default: Cadre's own formats. */
  formats?: FormatTable;
}

/** Recipes and `.aip` files, which are agents too. */
const otherAgentFile = /\.(?:ya?ml|json|aip)$/i;

/** Reports whether a reference is a path or names a pack. */
export function isAgentPath(
  reference: string,
  { extensions }: FormatTable = builtInFormats,
): boolean {
  return (
    isAbsolute(reference) ||
    /^\.{0,2}\//.test(reference) ||
    hasExtension(reference, extensions) ||
    otherAgentFile.test(reference) ||
    readPackReference(reference) !== undefined
  );
}

/**
 * Loads the agent in the file that `reference` names, from the first of `folders` that has it.
 *
 * @throws CadreError `agent-not-found`, or `definition-invalid` for one with errors.
 */
export async function loadAgentAt(
  reference: string,
  folders: readonly string[],
  options: AgentReferenceOptions,
): Promise<AgentDefinition> {
  const path = await findFile(reference, folders, options);
  const definition = await load(path, options);
  if (definition === null) {
    const message = `${path} is not an agent: it has no frontmatter that names one.`;
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
  { cwd, home }: AgentReferenceOptions,
): Promise<string> {
  if (readPackReference(reference) !== undefined) {
    return (await resolveAip(reference, { workspace: cwd, home, from: cwd })).path;
  }
  const paths = isAbsolute(reference)
    ? [reference]
    : [...new Set(folders.map((folder) => resolve(folder, reference)))];
  for (const path of paths) if ((await pathKind(path)) === "file") return path;
  const message = `There is no agent ${reference}. Looked for: ${paths.join(", ")}.`;
  throw new CadreError("agent-not-found", message);
}

async function load(path: string, options: AgentReferenceOptions): Promise<AgentDefinition | null> {
  if (isAipFile(path)) return await loadGivenAip(path, options);
  if (isRecipeFile(path)) {
    const [recipe = null] = await loadRecipeAgents([path], options);
    return recipe;
  }
  const { isTrusted, isLater, formats = builtInFormats } = options;
  const settings = { formats, isTrusted, isLater, ownTools: options.ownTools() };
  return (await loadFile({ path, scope: "library", ...settings })).definition;
}
