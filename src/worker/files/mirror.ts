import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A bare repository of the commits fetched from one remote. */
export interface Mirror {
  /** Absolute. */
  folder: string;
  /** The address of the remote. */
  url: string;
}

/** Serializes the fetches from one remote. */
const fetching = new Map<string, Promise<unknown>>();

/** Creates the mirror of a remote in `folder`, unless it exists. The length of `commit` determines the hash of the remote. */
export async function openMirror(folder: string, url: string, commit: string): Promise<Mirror> {
  const name = createHash("sha256").update(url).digest("hex").slice(0, 20);
  const path = join(folder, name);
  if (!existsSync(path)) {
    const made = `${path}.${randomUUID().slice(0, 8)}.new`;
    await writeRepository(made, { head: "ref: refs/heads/cadre-mirror", commit });
    await writeFile(join(made, "address"), `${url}\n`);
    // Another worker may have created it in the meantime.
    await rename(made, path).catch(async (error: unknown) => {
      await rm(made, { recursive: true, force: true });
      if (!existsSync(path)) throw error;
    });
  }
  return { folder: path, url };
}

/** Calls `work`, which fetches, after earlier fetches of the same mirror have ended. */
export async function fetchInTurn<Value>(
  { folder }: Mirror,
  work: () => Promise<Value>,
): Promise<Value> {
  const before = fetching.get(folder) ?? Promise.resolve();
  const mine = before.then(work);
  const settled = mine.catch(() => undefined);
  fetching.set(folder, settled);
  await settled;
  if (fetching.get(folder) === settled) fetching.delete(folder);
  return await mine;
}

/** Writes an empty repository, as `git init` does. `head` is the content of HEAD. */
export async function writeRepository(
  folder: string,
  { head, commit }: { head: string; commit: string },
): Promise<void> {
  const git = join(folder, ".git");
  await mkdir(join(git, "objects/pack"), { recursive: true, mode: 0o700 });
  await mkdir(join(git, "refs/heads"), { recursive: true });
  await writeFile(join(git, "HEAD"), `${head}\n`);
  const isLong = commit.length === 64;
  const format = isLong ? "\n[extensions]\n\tobjectformat = sha256" : "";
  const core = `[core]\n\trepositoryformatversion = ${isLong ? 1 : 0}\n\tbare = false`;
  await writeFile(join(git, "config"), `${core}${format}\n`);
}
