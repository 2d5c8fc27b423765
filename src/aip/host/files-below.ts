import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The maximum number of files. More are a mistake in the script. */
const maxFiles = 20_000;

/**
 * Lists all files below a folder, absolute, sorted by path. Skips links, whose targets may be elsewhere.
 *
 * @throws Error for more than 20,000 files.
 */
export async function filesBelow(folder: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    signal.throwIfAborted();
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile()) found.push(path);
    }
    if (found.length > maxFiles)
      throw new Error(`there are more than ${maxFiles} files below ${folder}`);
  }
  return found.sort((left, right) => (left < right ? -1 : 1));
}
