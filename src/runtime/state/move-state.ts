import { createHash } from "node:crypto";
import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdRegistry } from "../../registry/sqlite/hold-registry.ts";

/** The result of moving a registry. */
export interface StateMove {
  /** Links and special files that were not moved. */
  skipped: number;
  /** The names of files that remain in the old folder. */
  left: string[];
}

/** Git and journals refer to worktrees by path. */
const staying = "worktrees";

/**
 * Moves Cadre's state from the folder `from` to `to`, which may be on another file system; `undefined` when another process has
 * just done so. A kill at any time leaves everything either at `from` or at `to`.
 *
 * @throws CadreError as `holdRegistry`, and errors of the file system.
 */
export function moveState(from: string, to: string): StateMove | undefined {
  const registry = holdRegistry(join(from, "cadre.db"));
  try {
    if (existsSync(join(to, "cadre.db"))) return undefined;
    const skipped = copyWhole(registry, from, to);
    registry.remove();
    return { skipped, left: removeRest(from) };
  } finally {
    registry.release();
  }
}

/** Copies to a folder beside `to` and renames it. Returns the number of entries that were not copied. */
function copyWhole(registry: ReturnType<typeof holdRegistry>, from: string, to: string): number {
  // The name depends only on `from`, which this process holds, so leftovers of a killed process are removed.
  const hash = createHash("sha256").update(from).digest("hex").slice(0, 8);
  const draft = join(dirname(to), `.${basename(to)}-${hash}`);
  rmSync(draft, { recursive: true, force: true });
  try {
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    registry.copyTo(join(draft, "cadre.db"));
    const skipped = copyRest(from, draft);
    synchronize(draft);
    renameSync(draft, to);
    synchronize(dirname(to));
    return skipped;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Skips links, which would lead out of the new folder. */
function copyRest(from: string, draft: string): number {
  let skipped = 0;
  const filter = (path: string): boolean => {
    const stats = lstatSync(path);
    if (stats.isFile() || stats.isDirectory()) return true;
    skipped += 1;
    return false;
  };
  const names = readdirSync(from).filter(
    (name) => !name.startsWith("cadre.db") && name !== staying && name !== ".gitignore",
  );
  for (const name of names)
    cpSync(join(from, name), join(draft, name), { recursive: true, filter });
  return skipped;
}

/** Removes the copied files. Returns the names of those that stay. */
function removeRest(from: string): string[] {
  const worktrees = join(from, staying);
  const isNeeded = existsSync(worktrees) && readdirSync(worktrees).length > 0;
  try {
    if (!isNeeded) rmSync(from, { recursive: true });
    for (const name of isNeeded ? readdirSync(from) : []) {
      if (name !== staying && name !== ".gitignore") rmSync(join(from, name), { recursive: true });
    }
  } catch {
    // The journal is gone, so nothing reads the rest.
  }
  return existsSync(from) ? readdirSync(from).filter((name) => name !== ".gitignore") : [];
}

function synchronize(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
