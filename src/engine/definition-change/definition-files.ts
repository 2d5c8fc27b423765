import { dirname, join } from "node:path";
import type { AgentDefinition } from "../../agent/agent.ts";
import { packAround } from "../../aip/resolve-aip.ts";
import { readIncludedFiles } from "../../recipe/template-files.ts";
import { isChangedSince } from "../../source/change/is-changed-since.ts";
import { readTextFile } from "../../source/text-file.ts";
import { walkFolder } from "../../source/walk-folder.ts";

/** Where the files of definitions lie. */
export interface DefinitionPlace {
  /** Where Cadre was opened; absolute and real. */
  cwd: string;
  /** The user's home folder; absolute. */
  home: string;
  /** The root of the project; absolute and real. */
  root: string;
}

/**
 * The files that decide what a definition is: its own, those of lower layers (Codex), the templates a recipe includes, and
 * the Lua modules an `.aip` file may require. None for one that is not in a file. What a program imports is not among them.
 */
export async function findDefinitionFiles(
  { source, origins = {} }: Pick<AgentDefinition, "source" | "origins">,
  place: DefinitionPlace,
): Promise<string[]> {
  const { path, format } = source;
  if (path === null) return [];
  const layers = Object.values(origins).map((origin) => origin.replace(/:\d+$/, ""));
  const own = [path, ...layers];
  if (format === "recipe") own.push(...(await includedBy(path)));
  if (format === "aip") own.push(...(await modulesOf(path, place)));
  return [...new Set(own)];
}

async function includedBy(path: string): Promise<string[]> {
  const { text } = await readTextFile(path);
  if (text === null) return [];
  return (await readIncludedFiles(path, text)).files.map((file) => file.path);
}

/** Those of `files` that appeared or changed after `since` (epoch milliseconds). */
export async function findChangedFiles(
  files: readonly string[],
  since: number,
  place: DefinitionPlace,
): Promise<string[]> {
  const isChanged = await Promise.all(
    files.map(async (path) => await isChangedSince(path, since, place)),
  );
  return files.filter((_, index) => isChanged[index] === true);
}

/** The folders that `require` looks into; see `aip/host/require-module.ts`. */
async function modulesOf(path: string, { cwd, home }: DefinitionPlace): Promise<string[]> {
  const pack = packAround(path, { workspace: cwd, home });
  const folders = [dirname(path), join(cwd, ".aipack", "custom"), ...(pack ? [pack.folder] : [])];
  const walks = folders.map(async (folder) => {
    const lua = join(folder, "lua");
    const isWanted = (name: string): boolean => name.endsWith(".lua");
    return (await walkFolder({ folder: lua, root: lua, isDeep: true, isWanted })).files;
  });
  return (await Promise.all(walks)).flat();
}
