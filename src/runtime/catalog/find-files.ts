import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { listFiles } from "../../pipeline/files/list-files.ts";

/** The maximum size of a definition, in bytes. */
const largest = 256 * 1024;

/**
 * Finds the YAML files of a project whose text is of one kind, such as graphs or evals. Leaves out ignored and hidden files.
 * Returns paths relative to `cwd`, an absolute folder.
 */
export async function findFiles(
  cwd: string,
  isWanted: (text: string) => boolean,
): Promise<string[]> {
  const globs = ["**/*.yaml", "**/*.yml"];
  const { paths } = await listFiles(globs, { cwd, signal: new AbortController().signal });
  const found: string[] = [];
  for (const path of paths) {
    const file = join(cwd, path);
    const status = await stat(file).catch(() => undefined);
    if (status?.isFile() !== true || status.size > largest) continue;
    if (isWanted(await readFile(file, "utf8").catch(() => ""))) found.push(path);
  }
  return found;
}
