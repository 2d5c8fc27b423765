import { readFileSync, statSync } from "node:fs";

const mostBytes = 1 << 20;

/** Returns the text of a file, `null` when there is none, and `undefined` for a large or special one. */
export function readCurrentText(path: string): string | null | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    return found.isFile() && found.size <= mostBytes ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
