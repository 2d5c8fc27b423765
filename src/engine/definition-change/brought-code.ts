import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { describeExtension } from "../../extension/describe-extension.ts";
import { listHookCommands, showHookCommand } from "../../run/hook/hook-commands.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import { isInside } from "../../source/file/real-path.ts";
import { type DefinitionFolders, findDefinitionFiles } from "./definition-files.ts";

/** Code that a definition runs outside its agent's tools: servers, runners, programs, checks and hooks. */
export interface BroughtCode {
  /** Descriptions of the code, one line each, for the user's decision. */
  lines: string[];
  /** The files that declare the code, and the project's files that it runs; absolute. */
  files: string[];
}

/**
 * Finds the code that a definition brings along.
 *
 * @param servers The servers that the agent gets and its caller does not have.
 */
export async function findBroughtCode(
  definition: AgentDefinition,
  servers: readonly ExtensionConfig[],
  folders: DefinitionFolders,
): Promise<BroughtCode> {
  const { source, retry, runner } = definition;
  const { code } = agentKindOf(source);
  const hooks = listHookCommands(definition.hooks);
  const checks = (retry?.checks ?? []).map(({ command }) => command);
  const lines = [
    ...(code === null ? [] : [`${code.name}: ${source.path}`]),
    ...(runner === undefined ? [] : [`runner: ${runner}`]),
    ...checks.map((command) => `check: ${command}`),
    ...(retry?.onFailure === undefined ? [] : [`on failure: ${retry.onFailure}`]),
    ...hooks.map(({ event, command }) => `hook at ${event}: ${showHookCommand(command)}`),
    ...servers.map(describeServer),
  ];
  // Checks run in the sandbox as an agent's commands do. Servers, runners and hooks do not.
  const commands = [
    ...(runner === undefined ? [] : [runner.replace(/^acp:/, "")]),
    ...hooks.map(({ command }) => showHookCommand(command)),
  ];
  const words = [...commands.flatMap(wordsIn), ...servers.flatMap(wordsOf)];
  const programs = await findPrograms(words, folders);
  return { lines, files: [...(await findDefinitionFiles(definition, folders)), ...programs] };
}

/** Values of variables and headers may be secrets. */
function describeServer(config: ExtensionConfig): string {
  if (config.type === "streamable_http") {
    return describeExtension(config) + naming("headers", config.headers);
  }
  const folder = config.cwd === undefined ? "" : ` (in ${config.cwd})`;
  return `${describeExtension(config)}${folder}${naming("variables", config.environment)}`;
}

function naming(what: string, values: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(values);
  return names.length === 0 ? "" : ` (with the ${what} ${names.join(", ")})`;
}

function wordsOf(config: ExtensionConfig): string[] {
  return config.type === "stdio" ? [config.command, ...config.args] : [];
}

/** Returns the words of a command line, including quoted ones. */
function wordsIn(command: string): string[] {
  return command.split(/[\s"'=;|&()]+/);
}

/** Returns the `words` that name files which agents may write. */
async function findPrograms(
  words: readonly string[],
  { cwd, root }: DefinitionFolders,
): Promise<string[]> {
  const paths = [...new Set(words.map((word) => resolve(cwd, word)))];
  const inside = paths.filter((path) => isInside(path, root));
  const isFile = await Promise.all(
    inside.map(async (path) => (await stat(path).catch(() => null))?.isFile() === true),
  );
  return inside.filter((_, index) => isFile[index] === true);
}
