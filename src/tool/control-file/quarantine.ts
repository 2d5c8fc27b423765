import { chmodSync, constants, cpSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { CadreError } from "../../errors.ts";
import { systemErrorCode } from "../path/path-confinement.ts";
import { requireSamePlace } from "../path/regular-file.ts";
import { stablePath } from "./atomic-write.ts";
import type { StoredBaseline } from "./baseline.ts";
import { entryKind } from "./control-path.ts";

/**
 * Moves a control file out of the workspace into the quarantine of a baseline. Returns its new path, or `null` when it is gone.
 * Its folder stays open, so a symlink put in its place cannot cause another file to be moved.
 *
 * @throws CadreError `tool-failed` when it cannot be moved.
 */
export async function moveAway(
  path: string,
  { workspace, quarantine }: Pick<StoredBaseline, "workspace" | "quarantine">,
): Promise<string | null> {
  const movedTo = freeName(join(quarantine, relative(workspace, path)));
  try {
    return (await moveFrom(dirname(path), basename(path), movedTo)) ? movedTo : null;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw new CadreError(
      "tool-failed",
      `A command wrote the control file ${path}. It cannot be moved to ${quarantine}: ${String(error)}. Remove it.`,
      { cause: error },
    );
  }
}

async function moveFrom(folderPath: string, name: string, to: string): Promise<boolean> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const folder = await open(folderPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await requireSamePlace(folder, folderPath);
    const from = join(stablePath(folder, folderPath), name);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    await makeMovable(folder, from);
    return move(from, to);
  } finally {
    await folder.close();
  }
}

/** Restores the permissions that moving needs, because a command may have removed them. */
async function makeMovable(folder: FileHandle, path: string): Promise<void> {
  const { mode } = await folder.stat();
  if ((mode & 0o300) !== 0o300) await folder.chmod((mode & 0o7777) | 0o300);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true && (stats.mode & 0o700) !== 0o700) chmodSync(path, 0o700);
}

/** Moves a path; reports whether it existed. */
function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT") return false;
    if (code !== "EXDEV") throw error;
  }
  // Sockets and pipes cannot be copied, and have no content.
  const filter = (path: string): boolean => entryKind(lstatSync(path)) !== "special";
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter });
  rmSync(from, { recursive: true, force: true });
  return true;
}

function freeName(path: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? path : `${path}.${count}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}
