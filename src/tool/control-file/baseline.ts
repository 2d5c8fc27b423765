import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Leaf } from "./leaf.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

/** The control files of a workspace before a command, kept until it was verified that the command left them alone. */
export interface Baseline {
  workspace: string;
  /** Every control file and folder there was. */
  known: readonly string[];
  /** Those that the command cannot change. */
  readOnly: readonly string[];
  /** What lies in the others, with a copy of each file in the folder of the baseline, called by its index. */
  leaves: readonly Leaf[];
  /** What the user handed over to commands, or what is hidden from them: not looked at. */
  handedOver: readonly string[];
  /** Where what is undone goes. */
  quarantine: string;
}

/** A baseline on disk. */
export interface StoredBaseline extends Baseline {
  /** Its folder. */
  folder: string;
  owner: ProcessIdentity;
}

const fileName = "baseline.json";

/** Stores a baseline with copies of its files, so that what the command does can be undone after a crash, too. */
export function storeBaseline(root: string, id: string, baseline: Baseline): StoredBaseline {
  const folder = join(root, id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [index, { path, kind }] of baseline.leaves.entries()) {
    if (kind === "file") copyFileSync(path, copyOf(folder, index));
  }
  const stored = { ...baseline, owner: ownIdentity() };
  const draft = join(folder, `${fileName}.draft`);
  writeFileSync(draft, JSON.stringify(stored), { mode: 0o600 });
  renameSync(draft, join(folder, fileName));
  return { ...stored, folder };
}

/** Where the copy of a leaf is. */
export function copyOf(folder: string, index: number): string {
  return join(folder, `copy-${index}`);
}

/** Every baseline of commands that are under way, or were when their process was killed. */
export function readBaselines(root: string): StoredBaseline[] {
  const names = listFolder(root);
  return names.flatMap((name) => {
    const folder = join(root, name);
    try {
      const stored = JSON.parse(readFileSync(join(folder, fileName), "utf8")) as StoredBaseline;
      return [{ ...stored, folder }];
    } catch {
      // Being made, or being removed: no command runs with it.
      return [];
    }
  });
}

/** Whether the process that stored a baseline was killed. */
export function isLeft({ owner }: StoredBaseline): boolean {
  return !isAlive(owner);
}

/** Says that the command is still under way; the time is that of the file. */
export function touchBaseline({ folder }: StoredBaseline): void {
  const now = new Date();
  try {
    utimesSync(join(folder, fileName), now, now);
  } catch {
    // Somebody removed the folder. What that means is seen when the command ends.
  }
}

/** When {@link touchBaseline} was called last, in milliseconds since 1970. */
export function lastTouched({ folder }: StoredBaseline): number {
  return statSync(join(folder, fileName)).mtimeMs;
}

/** Forgets a baseline. */
export function removeBaseline({ folder }: StoredBaseline): void {
  rmSync(folder, { recursive: true, force: true });
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No command ran yet.
    return [];
  }
}
