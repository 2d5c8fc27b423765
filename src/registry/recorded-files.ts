import { isAbsolute, relative, sep } from "node:path";
import { CadreError } from "../errors.ts";
import type { RegistryReaders } from "./registry.ts";
import { isRunId } from "../run/run-id.ts";

/** A family's files, as recorded by the process that submitted it. */
export interface RecordedFiles {
  rootId: string;
  /** The address of the repository from which workers fetch them. */
  remote: string;
  /** The commit with the files as submitted. */
  commit: string;
  /** The root of the repository on the machine that submitted the family, absolute. */
  folder: string;
}

/**
 * Reads the files that a family was submitted with; `undefined` when it works in the same folder on every machine. Journals are
 * untrusted.
 *
 * @throws CadreError `config-invalid` for values that Cadre does not write.
 */
export async function readRecordedFiles(
  registry: Pick<RegistryReaders, "events">,
  rootId: string,
): Promise<RecordedFiles | undefined> {
  const [event] = await registry.events(rootId, { types: ["files-recorded"], limit: 1 });
  if (event?.type !== "files-recorded") return undefined;
  const { remote, commit, folder } = event;
  const isValid = isRunId(rootId) && isAbsolute(folder) && folder !== sep && isHash(commit);
  if (isValid) return { rootId, remote, commit, folder };
  const message = `Expected the journal of ${rootId} to name a commit and a folder with its files; got ${JSON.stringify({ commit, folder })}.`;
  throw new CadreError("config-invalid", message);
}

/** Returns the commits that a family's journals record as its files after a step. */
export async function readRecordedCommits(
  registry: Pick<RegistryReaders, "events" | "family">,
  { rootId, commit }: RecordedFiles,
): Promise<Set<string>> {
  const commits = new Set([commit]);
  for (const { id } of await registry.family(rootId)) {
    for (const event of await registry.events(id, { types: ["step-finished"] })) {
      if (event.type === "step-finished" && event.files !== undefined) commits.add(event.files);
    }
  }
  return commits;
}

/** Returns `path` relative to the recorded folder; `undefined` for a path outside it. */
export function withinRecorded({ folder }: RecordedFiles, path: string): string | undefined {
  const part = relative(folder, path);
  return part === ".." || part.startsWith(`..${sep}`) || isAbsolute(part) ? undefined : part;
}

function isHash(commit: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit);
}
