import { errorMessage } from "../error-message.ts";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CadreError } from "../errors.ts";

/** The result of {@link initProject}. Paths are absolute. */
export interface InitResult {
  written: string[];
  /** The existing files, which were not changed. */
  kept: string[];
}

/**
 * Writes a project's first files into `root/.cadre`: a commented configuration, three example agents, a recipe and a
 * prompt file. Never changes an existing file.
 *
 * @throws CadreError `invalid-argument` when a file cannot be written.
 */
export async function initProject(root: string): Promise<InitResult> {
  const templates = fileURLToPath(new URL("template", import.meta.url));
  const entries = await readdir(templates, { recursive: true, withFileTypes: true });
  const result: InitResult = { written: [], kept: [] };
  for (const entry of entries.filter((one) => one.isFile())) {
    const template = join(entry.parentPath, entry.name);
    const target = resolve(root, ".cadre", relative(templates, template));
    const isNew = await writeNew(target, await readFile(template));
    (isNew ? result.written : result.kept).push(target);
  }
  result.written.sort();
  result.kept.sort();
  return result;
}

/** Creates the file exclusively, so that a file that another process creates at the same time is kept too. */
async function writeNew(path: string, content: Uint8Array): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (error) {
    throw refuse(path, error);
  }
  try {
    await writeFile(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw refuse(path, error);
  }
}

function refuse(path: string, cause: unknown): CadreError {
  const reason = errorMessage(cause);
  const message = `Expected to write ${path}, but that is not possible (${reason}). Check that its parent is a writable folder.`;
  return new CadreError("invalid-argument", message, { details: { path }, cause });
}
