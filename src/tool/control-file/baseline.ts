import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { PathLeaf } from "./leaf.ts";
import { isProcessAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import { createFolder } from "../../source/file/create-folder.ts";

/** The control files of a workspace before a command. It is kept until the command is known not to have changed them. */
export interface Baseline {
  workspace: string;
  /** Every control file and folder that existed. */
  known: readonly string[];
  /** The control files that the command cannot change. */
  readOnly: readonly string[];
  /** The contents of the others. The baseline's folder holds a copy of each file, named by its index. */
  leaves: readonly PathLeaf[];
  /** Paths that are not checked: the user made them writable for commands, or they are hidden from commands. */
  handedOver: readonly string[];
  /** The folder that receives undone changes. */
  quarantine: string;
}

/** A baseline on disk. */
export interface StoredBaseline extends Baseline {
  /** The folder of the baseline. */
  folder: string;
  owner: ProcessIdentity;
  /** The time of the last {@link touchBaseline} when the baseline was read, in epoch milliseconds. */
  touchedMs: number;
}

const fileName = "baseline.json";

/** Stores a baseline with copies of its files, so that changes can be undone even after a crash. */
export function storeBaseline(root: string, id: string, baseline: Baseline): StoredBaseline {
  const folder = join(root, id);
  createFolder(folder, 0o700);
  for (const [index, { path, kind }] of baseline.leaves.entries()) {
    if (kind === "file") copyFileSync(path, copyOf(folder, index));
  }
  const stored = { ...baseline, owner: ownIdentity() };
  const draft = join(folder, `${fileName}.draft`);
  writeFileSync(draft, JSON.stringify(stored), { mode: 0o600 });
  renameSync(draft, join(folder, fileName));
  return { ...stored, folder, touchedMs: Date.now() };
}

/** Returns the path of the copy of a leaf. */
export function copyOf(folder: string, index: number): string {
  return join(folder, `copy-${index}`);
}

/** Reads the baselines of all running commands, and of commands whose process was killed. */
export function readBaselines(root: string): StoredBaseline[] {
  const names = listFolder(root);
  return names.flatMap((name) => {
    const folder = join(root, name);
    try {
      const file = join(folder, fileName);
      const stored = JSON.parse(readFileSync(file, "utf8")) as StoredBaseline;
      return [{ ...stored, folder, touchedMs: statSync(file).mtimeMs }];
    } catch {
      // It is being written or removed: no command runs with it.
      return [];
    }
  });
}

/** Reports whether the process that stored a baseline was killed. */
export function isAbandoned({ owner }: StoredBaseline): boolean {
  return !isProcessAlive(owner);
}

/** Marks the command as running, by the modification time of the baseline's file. */
export function touchBaseline({ folder }: StoredBaseline): void {
  const now = new Date();
  try {
    utimesSync(join(folder, fileName), now, now);
  } catch {
    // Another process removed the folder. {@link undoChanges} handles that when the command ends.
  }
}

/** Reports whether a baseline is still stored. */
export function isStored({ folder }: StoredBaseline): boolean {
  return existsSync(join(folder, fileName));
}

/** Removes a baseline. Its file goes first: without it, no process reads the copies. */
export function removeBaseline({ folder }: StoredBaseline): void {
  rmSync(join(folder, fileName), { force: true });
  rmSync(folder, { recursive: true, force: true });
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No command has run yet.
    return [];
  }
}
