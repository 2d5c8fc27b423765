import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";

/** Writes one of Cadre's files atomically, so no reader sees a part of it. The folder must exist. */
export async function replaceFile(path: string, text: string): Promise<void> {
  // Other processes, even on other machines, may be writing the same file.
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}
