import { dirname, join, resolve } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { packAround } from "../../aip/location/resolve-aip.ts";
import { readIncludedFiles } from "../../recipe/template/template-files.ts";
import { isChangedSince } from "../../source/file/is-changed-since.ts";
import { resolveReal } from "../../source/file/real-path.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { walkFolder } from "../../source/file/walk-folder.ts";

/** Where the files of definitions lie. */
export interface DefinitionFolders {
  /** The folder in which Cadre was opened; absolute and real. */
  cwd: string;
  /** The user's home folder; absolute. */
  home: string;
  /** The root of the project; absolute and real. */
  root: string;
}

/**
 * Finds the files that make up a definition: its own file, files of lower layers (Codex), templates that a recipe includes, and
 * Lua modules that an `.aip` file may require. Does not follow the imports of programs. Returns none for a definition without a
 * file.
 */
export async function findDefinitionFiles(
  { source, origins = {} }: Pick<AgentDefinition, "source" | "origins">,
  folders: DefinitionFolders,
): Promise<string[]> {
  const { path, format } = source;
  if (path === null) return [];
  const layers = Object.values(origins).map((origin) => origin.replace(/:\d+$/, ""));
  const own = [path, ...layers];
  if (format === "recipe") own.push(...(await includedBy(path)));
  if (format === "aip") own.push(...(await modulesOf(path, folders)));
  return [...new Set(own)];
}

async function includedBy(path: string): Promise<string[]> {
  // Templates are looked for beside the file itself, not beside a link to it.
  const real = (await resolveReal(path)) ?? path;
  const { text } = await readTextFile(real);
  if (text === null) return [];
  const { files } = await readIncludedFiles(real, text);
  return files.map(({ name }) => resolve(dirname(real), name));
}

/** Returns the `files` that appeared or changed after `since` (epoch milliseconds). */
export function findNewerFiles(
  files: readonly string[],
  since: number,
  folders: DefinitionFolders,
): string[] {
  return files.filter((path) => isChangedSince(path, since, folders));
}

/** The folders that `require` searches; see `aip/host/require-module.ts`. */
async function modulesOf(path: string, { cwd, home }: DefinitionFolders): Promise<string[]> {
  const pack = packAround(path, { workspace: cwd, home });
  const folders = [dirname(path), join(cwd, ".aipack", "custom"), ...(pack ? [pack.folder] : [])];
  const walks = folders.map(async (folder) => {
    const lua = join(folder, "lua");
    const isWanted = (name: string): boolean => name.endsWith(".lua");
    return (await walkFolder({ folder: lua, root: lua, isDeep: true, isWanted })).files;
  });
  return (await Promise.all(walks)).flat();
}
