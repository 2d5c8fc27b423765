import { readFileSync, statSync } from "node:fs";

const maxBytes = 1 << 20;

/** Returns the text of a file; `null` when there is no file, and `undefined` for a large or special file. */
export function readCurrentText(path: string): string | null | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    return found.isFile() && found.size <= maxBytes ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
