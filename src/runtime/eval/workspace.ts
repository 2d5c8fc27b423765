import { existsSync } from "node:fs";
import { cp, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CadreError } from "../../errors.ts";
import type { LoadedCase } from "../../eval/eval-file.ts";
import { isInside, realPathOf } from "../../source/file/real-path.ts";

/**
 * Returns the temporary workspace of a trial: a copy of its `workspace` with its `files`. An existing workspace belongs to a
 * continued trial, and stays as it is unless `isNew`. Copies only files that are `within` a folder, also through links; `undefined` = any.
 *
 * @throws CadreError `not-trusted` for another file.
 */
export async function prepareWorkspace(
  { workspace, files = {} }: LoadedCase,
  folder: string,
  { isNew, within }: { isNew: boolean; within: string | undefined },
): Promise<string> {
  if (isNew) await rm(folder, { recursive: true, force: true });
  if (existsSync(folder)) return await realpath(folder);
  // A process that is killed here leaves no incomplete workspace.
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const filter = (source: string): boolean => within === undefined || requireWithin(source, within);
  // Links would lead out of the copy.
  if (workspace !== undefined) {
    await cp(workspace, draft, { recursive: true, dereference: true, filter });
  }
  for (const [path, content] of Object.entries(files)) {
    const file = join(draft, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await rename(draft, folder);
  return await realpath(folder);
}

function requireWithin(path: string, folder: string): boolean {
  const real = realPathOf(path);
  if (isInside(real, folder)) return true;
  const message = `The trial would copy ${real}, which is outside ${folder}, and that folder is not trusted. Pass --trust if it may, or trust the folder with \`cadre trust\`.`;
  throw new CadreError("not-trusted", message);
}
