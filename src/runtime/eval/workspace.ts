import { existsSync } from "node:fs";
import { cp, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LoadedCase } from "../../eval/eval-file.ts";

/**
 * Returns the temporary workspace of a trial: a copy of its `workspace` with its `files`. An existing workspace belongs to a
 * continued trial, and stays as it is unless `isNew`.
 */
export async function prepareWorkspace(
  { workspace, files = {} }: LoadedCase,
  folder: string,
  isNew: boolean,
): Promise<string> {
  if (isNew) await rm(folder, { recursive: true, force: true });
  if (existsSync(folder)) return await realpath(folder);
  // A process that is killed here leaves no incomplete workspace.
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  // Links would lead out of the copy.
  if (workspace !== undefined) await cp(workspace, draft, { recursive: true, dereference: true });
  for (const [path, content] of Object.entries(files)) {
    const file = join(draft, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await rename(draft, folder);
  return await realpath(folder);
}
