import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, symlink, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { CadreError } from "../../errors.ts";
import { namesControlFile } from "./control-names.ts";
import { rememberDraft, rememberOwnWrite } from "./own-writes.ts";
import { requireRegular, requireSamePlace, sha256, statusOf } from "../path/regular-file.ts";

/**
 * Writes `content` to the resolved `path` atomically: into a temporary file beside it, which is then renamed. Creates missing
 * folders; keeps the mode and owner of a replaced file. The folder stays open, so a symlink put in its place has no effect.
 *
 * @throws CadreError `tool-failed` when `path` is a special file or its folder became a symlink.
 */
export async function writeAtomically(path: string, content: Buffer | string): Promise<void> {
  await replaceThroughDraft(path, async (folder, names, draft) => {
    if (namesControlFile(path.split(sep))) rememberOwnWrite(path, sha256(content), draft);
    await replaceIn(folder, names, content);
  });
}

/**
 * Creates `path` a symlink to `target` atomically, as {@link writeAtomically} writes a file. Replaces a file or a symlink: two
 * processes may restore the same link.
 *
 * @throws CadreError `tool-failed` when its folder became a symlink.
 */
export async function linkAtomically(path: string, target: string): Promise<void> {
  await replaceThroughDraft(path, async (folder, { name, draft: draftName }, draft) => {
    rememberDraft(draft);
    const temporary = join(folder, draftName);
    await symlink(target, temporary);
    await rename(temporary, join(folder, name)).catch(async (error: unknown) => {
      await unlink(temporary).catch(() => undefined);
      throw error;
    });
  });
}

/** The names of a file and of its temporary file, in their folder. */
interface DraftNames {
  name: string;
  draft: string;
}

/** Calls `replace` with the open folder of `path`, the names in it, and the path of the temporary file. */
async function replaceThroughDraft(
  path: string,
  replace: (folder: string, names: DraftNames, draftPath: string) => Promise<void>,
): Promise<void> {
  const folderPath = dirname(path);
  await mkdir(folderPath, { recursive: true }).catch((error: unknown) => {
    throw new CadreError(
      "tool-failed",
      `The folder ${folderPath} cannot be created: ${String(error)}.`,
      { cause: error },
    );
  });
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const folder = await open(folderPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await requireSamePlace(folder, folderPath);
    const name = basename(path);
    const draft = `.${name.slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`;
    await replace(stablePath(folder, folderPath), { name, draft }, join(folderPath, draft));
  } finally {
    await folder.close();
  }
}

/** Returns a name for the open folder that a rename or a symlink cannot redirect, where the system has one. */
export function stablePath(folder: FileHandle, path: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${folder.fd}` : path;
}

async function replaceIn(
  folder: string,
  { name, draft }: DraftNames,
  content: Buffer | string,
): Promise<void> {
  const target = join(folder, name);
  const previous = await statusOf(target);
  if (previous !== undefined) requireRegular(name, previous);
  const temporary = join(folder, draft);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(content);
    if (previous !== undefined) {
      const current = await handle.stat();
      if (current.uid !== previous.uid || current.gid !== previous.gid) {
        await handle.chown(previous.uid, previous.gid).catch(() => undefined);
      }
      await handle.chmod(previous.mode & 0o7777);
    }
    await handle.datasync();
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}
