// Commands of a project: recipes and prompts as requests for a turn.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isFileModel } from "../../delegate/settings/choose-model.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { discoverPromptCommands } from "../../prompt-command/discover-prompt-commands.ts";
import { fillPromptCommand, hasCommands } from "../../prompt-command/fill-prompt-command.ts";
import type { PromptCommand } from "../../prompt-command/prompt-command.ts";
import type { ProjectFolders } from "../../source/file/project-root.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { FilledCommand, ProjectCommand, ProjectCommands } from "../project-commands.ts";
import { fillRecipeCommand, findRecipeCommands, type RecipeCommand } from "./recipe-command.ts";

/** The sources of commands. */
export interface ProjectCommandSources {
  catalog: Catalog;
  project: ProjectFolders & { isTrusted: (path: string) => boolean };
}

/** Creates the commands of one Cadre. Prompts are read on each use. */
export function createProjectCommands({
  catalog,
  project,
}: ProjectCommandSources): ProjectCommands {
  return {
    async list({ taken = [] } = {}) {
      const { commands: prompts, diagnostics } = await discoverPromptCommands(project);
      const recipes = await findRecipeCommands(catalog);
      const names = new Set(taken);
      const all = [...prompts.map(describePrompt), ...recipes.map(({ command }) => command)];
      for (const command of all) {
        const { kind, name } = command;
        if (names.has(name)) command.name = `${kind}:${name}`;
        names.add(name);
      }
      return { commands: all, diagnostics };
    },
    async fill(name, argument = "") {
      const [, kind, rest = name] = /^(recipe|prompt):(.+)$/.exec(name) ?? [];
      const prompt = kind === "recipe" ? undefined : await findPrompt(project, rest);
      if (prompt !== undefined) return await fillPrompt({ catalog, project }, prompt, argument);
      const recipe = kind === "prompt" ? undefined : await findRecipe(catalog, rest);
      return recipe && fillRecipeCommand(recipe, argument);
    },
  };
}

function describePrompt(prompt: PromptCommand): ProjectCommand {
  const { name, description, argumentHint, path } = prompt;
  return { name, description, kind: "prompt", path, ...omitUndefined({ argumentHint }) };
}

async function findPrompt(
  project: ProjectFolders,
  name: string,
): Promise<PromptCommand | undefined> {
  const { commands } = await discoverPromptCommands(project);
  return commands.find((command) => command.name === name);
}

async function findRecipe(catalog: Catalog, name: string): Promise<RecipeCommand | undefined> {
  return (await findRecipeCommands(catalog)).find(({ command }) => command.name === name);
}

async function fillPrompt(
  { catalog, project }: ProjectCommandSources,
  prompt: PromptCommand,
  argument: string,
): Promise<FilledCommand> {
  const { name, argumentHint = "ARGUMENT", model } = prompt;
  checkTrust(prompt, project);
  const isFile = (mentioned: string): boolean =>
    statSync(resolve(project.cwd, mentioned), { throwIfNoEntry: false })?.isFile() === true;
  const { task, taskCalls } = fillPromptCommand(prompt, argument, isFile);
  if (task.trim() === "" || taskCalls.some((call) => "command" in call && isBlank(call.command))) {
    throw new CadreError("invalid-argument", `Expected /${name} ${argumentHint}; got no argument.`);
  }
  const agents = new Set((await catalog.discover()).agents.map((agent) => agent.name));
  const isKnown = prompt.agent === undefined || agents.has(prompt.agent);
  const note = `The command /${name} names the agent ${prompt.agent}, which does not exist here. The agent of the conversation answers.`;
  return {
    task,
    ...(taskCalls.length > 0 && { taskCalls }),
    ...omitUndefined({ agent: isKnown ? prompt.agent : undefined, model }),
    notes: isKnown ? [] : [note],
  };
}

/** @throws CadreError `not-trusted` for a prompt that runs commands, or names a model that reads or writes a file. */
function checkTrust(
  prompt: PromptCommand,
  { isTrusted }: Pick<ProjectCommandSources["project"], "isTrusted">,
): void {
  const { name, path, scope, model = "" } = prompt;
  const deed = hasCommands(prompt)
    ? "runs commands"
    : isFileModel(model)
      ? "names a model that is a file"
      : undefined;
  if (deed === undefined || scope === "user" || isTrusted(path)) return;
  const message = `The command /${name} ${deed}, and its folder is not trusted. Read ${path}, then trust the project with \`cadre trust\`.`;
  throw new CadreError("not-trusted", message, { details: { path } });
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
