import { type Stats, statSync } from "node:fs";

/** Returns the status of the file or folder at a path; `undefined` when it does not exist or the text is too long for a path. */
export function findStatus(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
