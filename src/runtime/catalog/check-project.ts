import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { checkPaths } from "../../agent/check.ts";
import { shadowCodes } from "../../agent/describe-shadows.ts";
import { checkGraph } from "../../delegate/graph/check-graph.ts";
import { isGraph } from "../../delegate/graph/is-graph.ts";
import { checkRecipes, discoverRecipes } from "../../recipe/load/discover-recipes.ts";
import { isEval } from "../../eval/is-eval.ts";
import { readEvals } from "../../eval/read-evals.ts";
import { isRecipeFile, recipeFolders, type RecipeSearch } from "../../recipe/recipe-folder.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { isInside } from "../../source/file/real-path.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { walkFolder } from "../../source/file/walk-folder.ts";
import { discoverAips, isAipFile, loadGivenAip } from "../aip/aip-agents.ts";
import { createCheckAccess, type ProjectToCheck } from "./check-access.ts";
import { checkAips } from "../aip/check-aips.ts";
import { checkAutomation } from "./check-automation.ts";
import { createCatalog } from "./catalog.ts";
import { checkConfigModels } from "./check-config-models.ts";
import { checkCommandPath, checkOwnCommands } from "./check-commands.ts";
import { checkPrompt } from "./check-prompt.ts";
import { checkExtensions } from "./check-extensions.ts";
import { checkFileNames, checkOwnNames } from "./check-names.ts";
import { findPromptFiles } from "../pipeline/prompt-agents.ts";

/**
 * Checks agents, recipes, prompt files, prompts of commands, graphs and evals in `paths`, or the whole project with its
 * configuration. Returns every finding, including `info`. A path that does not exist or is not a definition is an error.
 */
export async function checkProject(
  paths: readonly string[],
  project: ProjectToCheck,
): Promise<Diagnostic[]> {
  if (paths.length > 0) {
    const found = await Promise.all(paths.map((path) => checkPath(path, project)));
    return [...found.flat(), ...(await checkFileNames(paths, project))];
  }
  const [agents, ...others] = await Promise.all([
    checkPaths([], project),
    checkNames(project),
    checkOwnRecipes(project),
    checkOwnAips(project),
    checkOwnCommands(project),
    checkOwnNames(project),
  ]);
  const extensions = await checkExtensions(project);
  const models = checkConfigModels(project.configuration);
  const { diagnostics } = project.configuration;
  return [...diagnostics, ...models, ...extensions, ...agents, ...others.flat()];
}

/** Checks the names of all agents, including the user's and recipes, and the agents that the configuration names. */
async function checkNames(project: ProjectToCheck): Promise<Diagnostic[]> {
  const { all, diagnostics } = await createCatalog([], project).discover();
  const agents = all.map(({ name }) => name);
  const shadows = diagnostics.filter(({ code }) => shadowCodes.has(code));
  return [...shadows, ...checkAutomation({ ...project, agents })];
}

/** Skips the user's agents, which are found as well. */
async function checkOwnRecipes(search: RecipeSearch): Promise<Diagnostic[]> {
  const { diagnostics } = await discoverRecipes(search);
  const users = recipeFolders(search).filter(({ scope }) => scope === "user");
  return diagnostics.filter(({ path }) => !users.some((folder) => isInside(path, folder.path)));
}

async function checkOwnAips(project: ProjectToCheck): Promise<Diagnostic[]> {
  const { agents, diagnostics } = await discoverAips(project);
  const own = agents.filter(({ source }) => source.scope === "project");
  return [...(await checkAips(own)), ...diagnostics];
}

async function checkPath(reference: string, project: ProjectToCheck): Promise<Diagnostic[]> {
  const path = resolve(project.cwd, reference);
  const status = await stat(path).catch(() => null);
  const ofCommands = status === null ? undefined : await checkCommandPath(path, project);
  if (ofCommands !== undefined) return ofCommands;
  if (status?.isDirectory() === true) return await checkFolder(path, project);
  if (status === null) return await checkPaths([path], project);
  if (isRecipeFile(basename(path))) return await checkYaml(path, project);
  if (isAipFile(path)) return await checkAips([await loadGivenAip(path, project)]);
  if ((await findPromptFiles([path])).length > 0) {
    return (await checkPrompt(path, project)).diagnostics;
  }
  return await checkPaths([path], project);
}

async function checkYaml(path: string, project: ProjectToCheck): Promise<Diagnostic[]> {
  const { text } = await readTextFile(path);
  if (text !== null && isEval(text)) {
    const { agents } = await createCatalog([], project).discover();
    return (await readEvals([path], new Set(agents.map(({ name }) => name)))).diagnostics;
  }
  if (text === null || !isGraph(text)) return await checkRecipes([path], project);
  const agents = createCheckAccess(project);
  const { familyRuns } = project.configuration.config.limits;
  const { resolveModel } = agents;
  return (await checkGraph({ agents, familyRuns, resolveModel }, path)).diagnostics;
}

async function checkFolder(folder: string, project: ProjectToCheck): Promise<Diagnostic[]> {
  const agents = await checkPaths([folder], project);
  const recipes = await findRecipes(folder, project);
  const aips = await findAips(folder, project);
  if (recipes.length === 0 && aips.length === 0) return agents;
  const isNone = ({ path, code }: Diagnostic): boolean =>
    path === folder && code === "not-an-agent";
  return [
    ...agents.filter((one) => !isNone(one)),
    ...(recipes.length === 0 ? [] : await checkRecipes(recipes, project)),
    ...(await checkAips(aips)),
  ];
}

async function findAips(folder: string, project: ProjectToCheck): Promise<AgentDefinition[]> {
  const walk = { folder, root: folder, isDeep: true, isWanted: isAipFile };
  const { files } = await walkFolder(walk);
  return await Promise.all(files.map((path) => loadGivenAip(path, project)));
}

/** Returns every file in recipe folders; elsewhere, only files that look like recipes. */
async function findRecipes(folder: string, search: RecipeSearch): Promise<string[]> {
  const known = recipeFolders({ ...search, cwd: folder }).map(({ path }) => path);
  const below = [folder, ...known.filter((path) => isInside(path, folder))];
  const walks = below.map(async (path) => {
    const isWanted = isRecipeFile;
    return (await walkFolder({ folder: path, root: path, isDeep: true, isWanted })).files;
  });
  const files = [...new Set((await Promise.all(walks)).flat())];
  const isOne = async (file: string): Promise<boolean> =>
    known.some((path) => isInside(file, path)) || (await saysWhatRecipesSay(file));
  const are = await Promise.all(files.map(isOne));
  return files.filter((_, at) => are[at]);
}

/** Most YAML and JSON files in an arbitrary folder are something else. */
async function saysWhatRecipesSay(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  const says = (keys: string): boolean => new RegExp(`^\\s*"?(?:${keys})"?\\s*:`, "m").test(text);
  return says("title") && says("instructions|prompt");
}
