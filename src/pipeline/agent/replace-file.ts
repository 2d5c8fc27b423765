import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";

/** Writes a file of Cadre's own in one step, so that no reader sees a part of it. Its folder must exist. */
export async function replaceFile(path: string, text: string): Promise<void> {
  // Other processes, also of other machines, may be writing the same file.
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}
