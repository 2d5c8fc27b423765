import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { hasExtension, builtInFormats, textFileExtensions } from "../../agent/find-format.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import {
  findMissingAgents,
  findMissingSkills,
  findMisspeltTask,
  type MissingName,
} from "../../agent/definition/find-missing.ts";
import { checkFileModel, describeUnusableModel } from "../../delegate/settings/choose-model.ts";
import { CadreError } from "../../errors.ts";
import { readReference, toReferencePlace } from "../../model/model-reference.ts";
import { isRecipeFile, projectRecipeFolders } from "../../recipe/recipe-folder.ts";
import { type Diagnostic, hasError, type Severity } from "../../source/diagnostic.ts";
import { walkFolder } from "../../source/file/walk-folder.ts";
import { findSkills } from "../../tool/skill/skill.ts";
import { createCatalog } from "./catalog.ts";
import { createCheckAccess, type ProjectToCheck } from "./check-access.ts";

/** Finds models, agents, skills and placeholders that the project's definitions name and a run would not find. */
export async function checkOwnNames(place: ProjectToCheck): Promise<Diagnostic[]> {
  const { agents } = await createCatalog([], place).discover();
  const own = agents.filter(({ source }) => source.scope === "project");
  return await checkAll(own, agents, place);
}

/** The same for the definitions in files and folders. */
export async function checkFileNames(
  paths: readonly string[],
  place: ProjectToCheck,
): Promise<Diagnostic[]> {
  const listed = await Promise.all(paths.map((path) => listFiles(resolve(place.cwd, path))));
  const files = [...new Set(listed.flat())];
  const { agents, all } = await createCatalog([], { ...place, files }).discover();
  const named = all.filter(({ source }) => source.path !== null && files.includes(source.path));
  const first = new Map(named.map((definition) => [definition.source.path, definition]));
  return await checkAll([...first.values()], agents, place);
}

/** Skips programs, since loading one runs it, and in folders YAML and JSON files, most of which are not definitions. */
async function listFiles(path: string): Promise<string[]> {
  const status = await stat(path).catch(() => null);
  if (status === null) return [];
  if (!status.isDirectory()) return isDefinition(path) || isRecipeFile(path) ? [path] : [];
  const folders = [path, ...builtInFormats.folders.map((folder) => join(path, folder.path))];
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
  return hasExtension(name, textFileExtensions);
}

async function checkAll(
  definitions: readonly AgentDefinition[],
  agents: readonly AgentDefinition[],
  place: ProjectToCheck,
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

/** Reports whether a model reference is valid. Which models are available depends on keys, which may be missing here. */
async function checkModel(
  definition: AgentDefinition,
  place: ProjectToCheck,
): Promise<Diagnostic[]> {
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
    // Other problems of prompt files are found by their own check.
    if (error.code === "definition-invalid") return [];
    const severity = error.code === "not-trusted" ? "warning" : "error";
    const message = describeUnusableModel(definition, error);
    return [locate(definition, { field: "model", code: error.code, message, fix: null }, severity)];
  }
}

/** Returns the definition as it would run, with a prompt file's model settings resolved. */
async function fill(definition: AgentDefinition, place: ProjectToCheck): Promise<AgentDefinition> {
  if (definition.source.format !== "prompt") return definition;
  return (await createCheckAccess(place).preparePrompt(definition, {})).definition;
}

function locate(
  { source, lines }: AgentDefinition,
  {
    field,
    code,
    message,
    fix,
  }: Omit<MissingName, "field" | "fix"> & { field: string; fix: string | null },
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
