import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** More files are a mistake in what a script asks for. */
const mostFiles = 20_000;

/**
 * All files below a folder, absolute, by their paths. Links are left out: what they lead to lies elsewhere.
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
    if (found.length > mostFiles)
      throw new Error(`there are more than ${mostFiles} files below ${folder}`);
  }
  return found.sort((left, right) => (left < right ? -1 : 1));
}
