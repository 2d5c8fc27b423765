import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { agentFolders } from "../agent/agent-folder.ts";
import type { AgentDefinition } from "../agent/agent.ts";
import {
  findMissingAgents,
  findMissingSkills,
  findMisspeltTask,
  type Missing,
} from "../agent/missing/find-missing.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { checkFileModel, describeUnusableModel } from "../delegate/choose-model.ts";
import { CadreError } from "../errors.ts";
import { readReference, toReferencePlace } from "../model/model-reference.ts";
import { isRecipeFile, projectRecipeFolders, type RecipePlace } from "../recipe/recipe-folder.ts";
import { type Diagnostic, hasError, type Severity } from "../source/diagnostic.ts";
import { walkFolder } from "../source/walk-folder.ts";
import { findSkills } from "../tool/skill.ts";
import { createAgentAccess } from "./agent-access.ts";
import { createCatalog } from "./catalog.ts";

/** What the names in definitions are looked up in. */
export interface NamesPlace extends RecipePlace {
  isTrusted: (path: string) => boolean;
  configuration: LoadedConfig;
}

/** Models, agents, skills and placeholders that the project's definitions name and that a run would not find either. */
export async function checkOwnNames(place: NamesPlace): Promise<Diagnostic[]> {
  const { agents } = await createCatalog([], place).discover();
  const own = agents.filter(({ source }) => source.scope === "project");
  return await checkAll(own, agents, place);
}

/** The same for the definitions in files and folders. */
export async function checkNames(
  paths: readonly string[],
  place: NamesPlace,
): Promise<Diagnostic[]> {
  const listed = await Promise.all(paths.map((path) => listFiles(resolve(place.cwd, path))));
  const files = [...new Set(listed.flat())];
  const { agents, all } = await createCatalog([], { ...place, files }).discover();
  const named = all.filter(({ source }) => source.path !== null && files.includes(source.path));
  const first = new Map(named.map((definition) => [definition.source.path, definition]));
  return await checkAll([...first.values()], agents, place);
}

/** Programs name nothing, and to load one is to run it. In a folder, most files of YAML and JSON are something else. */
async function listFiles(path: string): Promise<string[]> {
  const status = await stat(path).catch(() => null);
  if (status === null) return [];
  if (!status.isDirectory()) return isDefinition(path) || isRecipeFile(path) ? [path] : [];
  const folders = [path, ...agentFolders.map((folder) => join(path, folder.path))];
  const recipes = projectRecipeFolders.map((folder) => join(path, folder));
  const walks = [
    ...folders.map((folder) => ({ folder, isWanted: isDefinition })),
    ...recipes.map((folder) => ({ folder, isWanted: isRecipeFile })),
  ];
  const found = walks.map(async (walk) => {
    return (await walkFolder({ ...walk, root: walk.folder, isDeep: true })).files;
  });
  return (await Promise.all(found)).flat();
}

function isDefinition(name: string): boolean {
  return /\.(?:md|toml)$/i.test(name);
}

async function checkAll(
  definitions: readonly AgentDefinition[],
  agents: readonly AgentDefinition[],
  place: NamesPlace,
): Promise<Diagnostic[]> {
  const known = agents.map(({ name }) => name);
  const skills = (await findSkills(place.cwd, place.home)).map(({ name }) => name);
  const usable = definitions.filter(({ diagnostics }) => !hasError(diagnostics));
  const models = await Promise.all(usable.map((definition) => checkModel(definition, place)));
  const missing = usable.flatMap((definition) => {
    const found = [
      ...findMissingAgents(definition, known),
      ...findMissingSkills(definition, skills),
      ...findMisspeltTask(definition),
    ];
    return found.map((one) => locate(definition, one, "warning"));
  });
  return [...models.flat(), ...missing];
}

/** Whether a model can be meant at all; which of them can be asked depends on keys, which whoever checks need not have. */
async function checkModel(definition: AgentDefinition, place: NamesPlace): Promise<Diagnostic[]> {
  const { configuration, isTrusted } = place;
  if (definition.runner !== undefined || definition.model === undefined) return [];
  try {
    const { model, source } = await fill(definition, place);
    if (model === undefined) return [];
    checkFileModel({ isTrusted }, { model, source });
    readReference(model, toReferencePlace(configuration.config.models));
    return [];
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    // What else is wrong with a prompt file is found where the file is checked.
    if (error.code === "definition-invalid") return [];
    const severity = error.code === "not-trusted" ? "warning" : "error";
    const message = describeUnusableModel(definition, error);
    return [locate(definition, { field: "model", code: error.code, message, fix: null }, severity)];
  }
}

/** The definition as it would be run: what a prompt file says of models is put together with what it is given. */
async function fill(definition: AgentDefinition, place: NamesPlace): Promise<AgentDefinition> {
  if (definition.source.format !== "prompt") return definition;
  const { isTrusted } = place;
  const catalog = createCatalog([], place);
  const access = createAgentAccess({ catalog, recipes: { place }, isTrusted });
  return (await access.preparePrompt(definition, {})).definition;
}

function locate(
  { source, lines }: AgentDefinition,
  {
    field,
    code,
    message,
    fix,
  }: Omit<Missing, "field" | "fix"> & { field: string; fix: string | null },
  severity: Severity,
): Diagnostic {
  return {
    path: source.path ?? "",
    line: lines[field] ?? 1,
    column: 1,
    severity,
    code,
    message,
    fix,
  };
}
