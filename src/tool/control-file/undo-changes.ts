import { chmodSync, lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { linkAtomically, writeAtomically } from "./atomic-write.ts";
import { isInside } from "../../source/file/real-path.ts";
import { copyOf, type StoredBaseline } from "./baseline.ts";
import type { ControlPath } from "./control-path.ts";
import { findControlPaths } from "./find-control-paths.ts";
import { isHarmless } from "./is-harmless.ts";
import { type PathLeaf, leavesOf } from "./leaf.ts";
import { isOwnDraft, isOwnWrite, ownWritesBelow } from "./own-writes.ts";
import { moveAway } from "./quarantine.ts";

/** An undone change to a control file. */
export interface UndoneChange {
  /** Absolute. */
  path: string;
  change: "created" | "changed" | "removed";
  /** The new path of the content that the command wrote; `null` when the command removed the file. */
  movedTo: string | null;
}

const maxNamed = 10;

/** Describes undone changes for the caller of a command. */
export function describeUndone(undone: readonly UndoneChange[]): string {
  const named = undone.slice(0, maxNamed).map(({ path, change, movedTo }) => {
    const where = movedTo === null ? "" : `; its content is in ${movedTo}`;
    return `${path} (${change}${where})`;
  });
  const rest = undone.length > maxNamed ? ` and ${undone.length - maxNamed} more` : "";
  return `Changes to control files, which raise rights or run on their own, were undone: ${named.join(", ")}${rest}. Use Write for such a file: it asks the user.`;
}

/** The maximum difference between file times and the process's clock, in milliseconds. */
const clockToleranceMs = 10_000;

/**
 * Compares the control files of a workspace with the baseline and undoes changes: moves new files to the quarantine, restores
 * changed and removed ones. With `isLate`, keeps changes made after the command ended.
 *
 * @throws CadreError `tool-failed` that names a file which cannot be moved or restored.
 */
export async function undoChanges(
  baseline: StoredBaseline,
  { isLate = false }: { isLate?: boolean } = {},
): Promise<UndoneChange[]> {
  const { readOnly, handedOver } = baseline;
  const isLeftOut = (path: string): boolean =>
    [...readOnly, ...handedOver].some((one) => isInside(path, one));
  const latest = isLate ? baseline.touchedMs + clockToleranceMs : Number.POSITIVE_INFINITY;
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

/** Moves a new control folder as a whole, unless it contains files of Cadre or of the user. */
async function undoCreated(
  { path }: ControlPath,
  baseline: StoredBaseline,
): Promise<UndoneChange[]> {
  const { handedOver } = baseline;
  const isMixed = ownWritesBelow(path).length > 0 || handedOver.some((one) => isInside(one, path));
  if (!isMixed) return await undo(path, "created", baseline);
  const moved: UndoneChange[] = [];
  for (const leaf of leavesOf(path, handedOver)) {
    if (!isOwn(leaf)) moved.push(...(await undo(leaf.path, "created", baseline)));
  }
  return moved;
}

async function undo(
  path: string,
  change: "created" | "changed",
  baseline: StoredBaseline,
): Promise<UndoneChange[]> {
  const movedTo = await moveAway(path, baseline);
  return movedTo === null ? [] : [{ path, change, movedTo }];
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
    if (
      isOwnDraft(before.path) ||
      isNewer(before.path, latest) ||
      (leaf === undefined && before.kind === "folder")
    )
      continue;
    // Read before the file is moved away: another process that undoes the same changes may remove the copies.
    const copy = before.kind === "file" ? readFileSync(copyOf(baseline.folder, index)) : undefined;
    const moved = leaf === undefined ? [] : await undo(leaf.path, "changed", baseline);
    await restore(before, copy);
    const removed = { path: before.path, change: "removed", movedTo: null } as const;
    undone.push(...(moved.length > 0 ? moved : [removed]));
  }
  for (const leaf of now.values()) {
    const isKept = isOwn(leaf) || harmless.has(leaf.path) || leaf.kind === "folder";
    if (isKept || isNewer(leaf.path, latest)) continue;
    undone.push(...(await undo(leaf.path, "created", baseline)));
  }
  return undone;
}

/** Reports whether a file was changed or removed after the command ended. */
function isNewer(path: string, latest: number): boolean {
  const stats =
    lstatSync(path, { throwIfNoEntry: false }) ??
    lstatSync(dirname(path), { throwIfNoEntry: false });
  return stats !== undefined && stats.ctimeMs > latest;
}

function isSame(leaf: PathLeaf, before: PathLeaf): boolean {
  return (
    leaf.kind === before.kind &&
    leaf.content === before.content &&
    leaf.mode === before.mode &&
    (before.isShared || !leaf.isShared)
  );
}

function isOwn({ path, kind, content, isShared }: PathLeaf): boolean {
  if (isOwnDraft(path)) return true;
  return kind === "file" && !isShared && isOwnWrite(path, content);
}

async function restore(before: PathLeaf, copy: Buffer | undefined): Promise<void> {
  const { path, kind, mode, content } = before;
  if (kind === "link") {
    await linkAtomically(path, content);
  } else if (copy !== undefined) {
    await writeAtomically(path, copy);
    chmodSync(path, mode);
  }
  // A special file cannot be restored. A missing one executes nothing.
}
