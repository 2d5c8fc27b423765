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
import { readReference, toReferenceNames } from "../../model/model-reference.ts";
import { isRecipeFile, projectRecipeFolders } from "../../recipe/recipe-folder.ts";
import type { Diagnostic, Severity } from "../../source/diagnostic.ts";
import { walkFolder } from "../../source/file/walk-folder.ts";
import { findSkills } from "../../tool/skill/skill.ts";
import { createCatalog } from "./catalog.ts";
import { checkAgentExtensions } from "./check-extensions.ts";
import { createCheckAccess, type ProjectToCheck } from "./check-access.ts";

/**
 * Finds models, agents, skills, extensions and placeholders in the project's definitions that a run would not find. Definitions
 * with other errors are checked too, so that all findings of a file come at once.
 */
export async function checkOwnNames(project: ProjectToCheck): Promise<Diagnostic[]> {
  const { agents, all } = await createCatalog([], project).discover();
  const own = all.filter(({ source }) => source.scope === "project");
  return await checkAll(own, agents, project);
}

/** Does the same for the definitions in files and folders. */
export async function checkFileNames(
  paths: readonly string[],
  project: ProjectToCheck,
): Promise<Diagnostic[]> {
  const listed = await Promise.all(paths.map((path) => listFiles(resolve(project.cwd, path))));
  const files = [...new Set(listed.flat())];
  const { agents, all } = await createCatalog([], { ...project, files }).discover();
  const named = all.filter(({ source }) => source.path !== null && files.includes(source.path));
  return await checkAll(named, agents, project);
}

/** Skips programs, because loading one runs it. In folders, also skips YAML and JSON files, most of which are not definitions. */
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
  project: ProjectToCheck,
): Promise<Diagnostic[]> {
  const known = agents.map(({ name }) => name);
  const skills = (await findSkills(project.cwd, project.home)).map(({ name }) => name);
  // A file may be found in several ways.
  const byPath = new Map(definitions.map((definition) => [definition.source.path, definition]));
  const files = [...byPath.values()];
  const models = await Promise.all(files.map((definition) => checkModel(definition, project)));
  const extensions = files.map((definition) => checkAgentExtensions(definition, project));
  const missing = files.flatMap((definition) => {
    const found = [
      ...findMissingAgents(definition, known),
      ...findMissingSkills(definition, skills),
      ...findMisspeltTask(definition),
    ];
    return found.map((one) => locate(definition, one, "warning"));
  });
  return [...models.flat(), ...(await Promise.all(extensions)).flat(), ...missing];
}

/** Reports whether model references are valid. Which models are available depends on keys, which may be missing here. */
async function checkModel(
  definition: AgentDefinition,
  project: ProjectToCheck,
): Promise<Diagnostic[]> {
  if (definition.runner !== undefined) return [];
  const { fallbacks = [] } = definition;
  const others = fallbacks.map((model) =>
    checkReference({ ...definition, model }, project, "fallbacks"),
  );
  if (definition.model === undefined) return others.flat();
  try {
    return [...checkReference(await fill(definition, project), project, "model"), ...others.flat()];
  } catch (error) {
    return [...toFinding(definition, error, "model"), ...others.flat()];
  }
}

/** Checks the model in the field `field` of a definition. */
function checkReference(
  definition: AgentDefinition,
  { configuration, isTrusted }: ProjectToCheck,
  field: "model" | "fallbacks",
): Diagnostic[] {
  const { model } = definition;
  if (model === undefined) return [];
  try {
    checkFileModel({ isTrusted }, definition);
    readReference(model, toReferenceNames(configuration.config.models));
    return [];
  } catch (error) {
    return toFinding(definition, error, field);
  }
}

function toFinding(definition: AgentDefinition, error: unknown, field: string): Diagnostic[] {
  if (!(error instanceof CadreError)) throw error;
  // Other problems of prompt files are found by their own check.
  if (error.code === "definition-invalid") return [];
  const isWarning = error.code === "not-trusted" || field === "fallbacks";
  const message = describeUnusableModel(definition, error);
  const finding = { field, code: error.code, message, fix: null };
  return [locate(definition, finding, isWarning ? "warning" : "error")];
}

/** Returns the definition as it would run, with a prompt file's model settings resolved. */
async function fill(
  definition: AgentDefinition,
  project: ProjectToCheck,
): Promise<AgentDefinition> {
  if (definition.source.format !== "prompt") return definition;
  return (await createCheckAccess(project).preparePrompt(definition, {})).definition;
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
