// Runs in the background: one supervisor process for each state folder executes them.

import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CadreOptions } from "../../host.ts";

/** The rights and choices of a command line that a resume needs again. */
export type BackgroundOptions = Pick<
  CadreOptions,
  "cwd" | "trust" | "mode" | "sandbox" | "agentFiles"
> & {
  /** The models that the command line names. A resume uses the recorded models, and models that read or write files only if named here. */
  model?: string;
  fallbacks?: readonly string[];
};

/** A family that the supervisor executes until it has ended. Plain JSON. */
export interface BackgroundFamily {
  rootId: string;
  options: BackgroundOptions;
  /** Why the supervisor does not execute the family. */
  problem?: string;
}

function folderOf(stateFolder: string): string {
  return join(stateFolder, "background");
}

function pathOf(stateFolder: string, rootId: string): string {
  return join(folderOf(stateFolder), `${rootId}.json`);
}

/** Records that the supervisor must execute a family, or why it does not. */
export async function recordBackground(
  stateFolder: string,
  family: BackgroundFamily,
): Promise<void> {
  await mkdir(folderOf(stateFolder), { recursive: true, mode: 0o700 });
  const path = pathOf(stateFolder, family.rootId);
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, JSON.stringify(family), { mode: 0o600 });
  await rename(draft, path);
}

/** Lists the unfinished families that the supervisor knows. */
export async function listBackground(stateFolder: string): Promise<BackgroundFamily[]> {
  const names = await readdir(folderOf(stateFolder)).catch(() => []);
  const files = names.filter((name) => name.endsWith(".json"));
  const found = await Promise.all(
    files.map(async (name) => await findBackground(stateFolder, name.replace(/\.json$/, ""))),
  );
  return found.filter((family) => family !== undefined);
}

/** Returns the record of a family; `undefined` when the family is not in the background. */
export async function findBackground(
  stateFolder: string,
  rootId: string,
): Promise<BackgroundFamily | undefined> {
  try {
    return JSON.parse(await readFile(pathOf(stateFolder, rootId), "utf8")) as BackgroundFamily;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes the record of a family that has ended. */
export async function removeBackground(stateFolder: string, rootId: string): Promise<void> {
  await rm(pathOf(stateFolder, rootId), { force: true });
}
