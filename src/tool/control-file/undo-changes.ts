import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { CadreError } from "../../errors.ts";
import { isInside, systemErrorCode } from "../path-confinement.ts";
import { requireSamePlace } from "../regular-file.ts";
import { copyOf, lastTouched, type StoredBaseline } from "./baseline.ts";
import type { ControlPath } from "./control-path.ts";
import { findControlPaths } from "./find-control-paths.ts";
import { isHarmless } from "./is-harmless.ts";
import { type Leaf, leavesOf } from "./leaf.ts";
import { isOwnWrite, ownWritesBelow } from "./own-writes.ts";

/** A change of a control file that was undone. */
export interface UndoneChange {
  /** Absolute. */
  path: string;
  change: "created" | "changed" | "removed";
  /** Where what the command wrote is now; `null` when it removed the file. */
  movedTo: string | null;
}

const mostNamed = 10;

/** What was undone, as whoever ran the command is told. */
export function describeUndone(undone: readonly UndoneChange[]): string {
  const named = undone.slice(0, mostNamed).map(({ path, change, movedTo }) => {
    const where = movedTo === null ? "" : `; what was written is in ${movedTo}`;
    return `${path} (${change}${where})`;
  });
  const rest = undone.length > mostNamed ? ` and ${undone.length - mostNamed} more` : "";
  return `Changes of control files, which decide about rights or are executed on their own, were undone: ${named.join(", ")}${rest}. Use Write for such a file: it asks the user.`;
}

/** Clocks of files and of processes may differ by this much, in milliseconds. */
const clockToleranceMs = 10_000;

/**
 * Compares the control files of a workspace with what they were, and undoes what changed: what is new is moved to the
 * quarantine, what was changed or removed is put back. With `isLate`, what is newer than the command is somebody else's.
 *
 * @throws CadreError `tool-failed` when something cannot be moved or put back, naming it.
 */
export async function undoChanges(
  baseline: StoredBaseline,
  { isLate = false }: { isLate?: boolean } = {},
): Promise<UndoneChange[]> {
  const { readOnly, handedOver } = baseline;
  const isLeftOut = (path: string): boolean =>
    [...readOnly, ...handedOver].some((one) => isInside(path, one));
  const latest = isLate ? lastTouched(baseline) + clockToleranceMs : Number.POSITIVE_INFINITY;
  const found = (await findControlPaths(baseline.workspace)).filter(({ path }) => !isLeftOut(path));
  const undone: UndoneChange[] = [];
  for (const control of found) {
    if (baseline.known.includes(control.path) || isHarmless(control, baseline)) continue;
    if (isNewer(control.path, latest)) continue;
    undone.push(...(await undoCreated(control, baseline)));
  }
  if (baseline.leaves.length > 0) undone.push(...(await undoEdits(found, baseline, latest)));
  return undone;
}

/** Moves what is new away as a whole, unless something in it is Cadre's own or the user's. */
async function undoCreated(
  { path }: ControlPath,
  baseline: StoredBaseline,
): Promise<UndoneChange[]> {
  const { handedOver } = baseline;
  const isMixed = ownWritesBelow(path).length > 0 || handedOver.some((one) => isInside(one, path));
  if (!isMixed) return await moveAway(path, "created", baseline);
  const moved: UndoneChange[] = [];
  for (const leaf of leavesOf(path, handedOver)) {
    if (!isOwn(leaf)) moved.push(...(await moveAway(leaf.path, "created", baseline)));
  }
  return moved;
}

async function undoEdits(
  found: readonly ControlPath[],
  baseline: StoredBaseline,
  latest: number,
): Promise<UndoneChange[]> {
  const { handedOver } = baseline;
  const known = found.filter(({ path }) => baseline.known.includes(path));
  const harmless = new Set(
    known
      .filter((control) => isHarmless(control, baseline))
      .flatMap(({ path }) => leavesOf(path, handedOver).map((leaf) => leaf.path)),
  );
  const now = new Map(
    known.flatMap(({ path }) => leavesOf(path, handedOver)).map((leaf) => [leaf.path, leaf]),
  );
  const undone: UndoneChange[] = [];
  for (const [index, before] of baseline.leaves.entries()) {
    const leaf = now.get(before.path);
    now.delete(before.path);
    if (leaf !== undefined && (isSame(leaf, before) || isOwn(leaf) || harmless.has(leaf.path)))
      continue;
    if (isNewer(before.path, latest) || (leaf === undefined && before.kind === "folder")) continue;
    const moved = leaf === undefined ? [] : await moveAway(leaf.path, "changed", baseline);
    restore(before, copyOf(baseline.folder, index));
    const removed = { path: before.path, change: "removed", movedTo: null } as const;
    undone.push(...(moved.length > 0 ? moved : [removed]));
  }
  for (const leaf of now.values()) {
    const isLeft = isOwn(leaf) || harmless.has(leaf.path) || leaf.kind === "folder";
    if (isLeft || isNewer(leaf.path, latest)) continue;
    undone.push(...(await moveAway(leaf.path, "created", baseline)));
  }
  return undone;
}

/** Whether a file changed, or was removed, after the command was over. */
function isNewer(path: string, latest: number): boolean {
  const stats =
    lstatSync(path, { throwIfNoEntry: false }) ??
    lstatSync(dirname(path), { throwIfNoEntry: false });
  return stats !== undefined && stats.ctimeMs > latest;
}

function isSame(leaf: Leaf, before: Leaf): boolean {
  return (
    leaf.kind === before.kind &&
    leaf.content === before.content &&
    leaf.mode === before.mode &&
    (before.isShared || !leaf.isShared)
  );
}

function isOwn({ path, kind, content, isShared }: Leaf): boolean {
  return kind === "file" && !isShared && isOwnWrite(path, content);
}

function restore(before: Leaf, copy: string): void {
  const { path, kind, mode, content } = before;
  mkdirSync(dirname(path), { recursive: true });
  if (kind === "link") return symlinkSync(content, path);
  // A special file cannot be made again; nothing is executed that is gone.
  if (kind !== "file") return undefined;
  copyFileSync(copy, path, constants.COPYFILE_EXCL);
  return chmodSync(path, mode);
}

/**
 * Moves a control file out of the workspace. Its folder is held open meanwhile: a symlink that takes its place must not
 * have a file of the user moved.
 */
async function moveAway(
  path: string,
  change: "created" | "changed",
  { workspace, quarantine }: StoredBaseline,
): Promise<UndoneChange[]> {
  const folder = await open(
    dirname(path),
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  );
  try {
    await requireSamePlace(folder, dirname(path));
    const from =
      process.platform === "linux" ? `/proc/self/fd/${folder.fd}/${basename(path)}` : path;
    const movedTo = freeName(join(quarantine, relative(workspace, path)));
    mkdirSync(dirname(movedTo), { recursive: true, mode: 0o700 });
    await makeMovable(folder, from);
    return move(from, movedTo) ? [{ path, change, movedTo }] : [];
  } catch (error) {
    throw new CadreError(
      "tool-failed",
      `A command wrote the control file ${path}, and it cannot be moved to ${quarantine}: ${String(error)}. Remove it.`,
      { cause: error },
    );
  } finally {
    await folder.close();
  }
}

/** A command may have taken the rights away that moving takes. */
async function makeMovable(folder: FileHandle, path: string): Promise<void> {
  const { mode } = await folder.stat();
  if ((mode & 0o300) !== 0o300) await folder.chmod((mode & 0o7777) | 0o300);
  if (kindAt(path) === "folder") chmodSync(path, 0o700);
}

/** Whether there was something to move. */
function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT") return false;
    if (code !== "EXDEV") throw error;
  }
  const filter = (path: string): boolean => ["file", "folder", "link"].includes(kindAt(path));
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter });
  rmSync(from, { recursive: true, force: true });
  return true;
}

function kindAt(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return "file";
  if (stats?.isDirectory() === true) return "folder";
  return stats?.isSymbolicLink() === true ? "link" : "special";
}

function freeName(path: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? path : `${path}.${count}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}
