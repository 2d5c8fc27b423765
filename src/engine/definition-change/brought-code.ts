import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { AgentDefinition } from "../../agent/agent.ts";
import { describeExtension } from "../../extension/describe-extension.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import { isInside } from "../../source/real-path.ts";
import { type DefinitionPlace, findDefinitionFiles } from "./definition-files.ts";

/** Code that a definition has executed besides what its agent does with its tools. */
export interface BroughtCode {
  /** What would run, a line each, for a user who decides whether it may. */
  lines: string[];
  /** The files that say so, and those of the project that its programs are; absolute. */
  files: string[];
}

/**
 * The code of a definition.
 *
 * @param servers Those that its agent gets and the agent that delegates to it has not.
 */
export async function findBroughtCode(
  definition: AgentDefinition,
  servers: readonly ExtensionConfig[],
  place: DefinitionPlace,
): Promise<BroughtCode> {
  const { source, retry, runner } = definition;
  const checks = (retry?.checks ?? []).map(({ command }) => command);
  const lines = [
    ...(source.format === "program" ? [`program: ${source.path}`] : []),
    ...(source.format === "aip" ? [`Lua: ${source.path}`] : []),
    ...(runner === undefined ? [] : [`runner: ${runner}`]),
    ...checks.map((command) => `check: ${command}`),
    ...(retry?.onFailure === undefined ? [] : [`on failure: ${retry.onFailure}`]),
    ...servers.map(describeServer),
  ];
  // Checks are executed in the sandbox, like the commands of an agent; servers and runners are not.
  const words = [runner?.replace(/^acp:/, "").split(/\s+/) ?? [], servers.map(wordsOf)].flat(2);
  const programs = await findPrograms(words, place);
  return { lines, files: [...(await findDefinitionFiles(definition, place)), ...programs] };
}

/** Values of variables and headers may be secrets. */
function describeServer(config: ExtensionConfig): string {
  if (config.type === "streamable_http") {
    const url = config.url.replace(/[?#].*$/s, "").replace(/^(https?:\/\/)[^/]*@/i, "$1");
    return describeExtension({ ...config, url }) + naming("headers", config.headers);
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

/** Those of `words` that name files agents may write. */
async function findPrograms(
  words: readonly string[],
  { cwd, root }: DefinitionPlace,
): Promise<string[]> {
  const paths = [...new Set(words.map((word) => resolve(cwd, word)))];
  const inside = paths.filter((path) => isInside(path, root));
  const isFile = await Promise.all(
    inside.map(async (path) => (await stat(path).catch(() => null))?.isFile() === true),
  );
  return inside.filter((_, index) => isFile[index] === true);
}
