import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** The size limit of a file for a model, in bytes. */
const maxFileBytes = 256 * 1024;

/** Reads the text file at `path` in `folder`; `null` for an empty, too large, binary or missing file. */
export async function readTextWithin(folder: string, path: string): Promise<string | null> {
  const full = join(folder, path);
  const status = await stat(full).catch(() => null);
  if (status === null || !status.isFile() || status.size > maxFileBytes || status.size === 0)
    return null;
  const content = await readFile(full);
  return content.includes(0) ? null : content.toString("utf8");
}
