// Control files: finds files that raise rights or run on their own, and undoes changes that commands make to them.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isInside } from "../../source/file/real-path.ts";
import {
  isAbandoned,
  isStored,
  readBaselines,
  removeBaseline,
  type StoredBaseline,
  storeBaseline,
  touchBaseline,
} from "./baseline.ts";
import type { ControlPath } from "./control-path.ts";
import { findControlPaths } from "./find-control-paths.ts";
import { type ControlFileContext, isHarmless, isWrittenByGit } from "./is-harmless.ts";
import { leavesOf } from "./leaf.ts";
import { type UndoneChange, undoChanges } from "./undo-changes.ts";

/** A command to guard. */
export interface GuardedCommand {
  /** Absolute, real. */
  workspace: string;
  /** Whether the command runs in a sandbox that enforces {@link CommandGuard.readOnly}. */
  isSandboxed: boolean;
  /** Paths not to check: writable for commands by the user's choice, or hidden from commands; absolute. */
  handedOver: readonly string[];
  /** The folder that receives undone changes; absolute, not writable for the command. */
  quarantine: string;
}

/** The guard of one command. */
export interface CommandGuard {
  /** The control files that the sandbox must make read-only. */
  readOnly: readonly string[];
  /** Undoes the command's changes to control files. Call it when no process of the command is left. */
  finish(): Promise<UndoneChange[]>;
}

/** Each mount costs time. Control files beyond this number are compared and restored instead. */
const maxReadOnly = 40;
const touchEveryMs = 2000;

/**
 * Records the control files of a workspace before a command runs in it. First undoes the changes that killed processes left.
 * `folder` is the result of `commandFolder`.
 */
export async function guardCommand(
  folder: string,
  { workspace, isSandboxed, handedOver, quarantine }: GuardedCommand,
): Promise<CommandGuard> {
  const left = await undoLeftChanges(folder);
  const found = await findControlPaths(workspace);
  const controls = withoutUnverified(
    readBaselines(baselinesIn(folder)),
    workspace,
    found.filter(({ path }) => !handedOver.some((one) => isInside(path, one))),
  );
  const closed = isSandboxed ? chooseReadOnly(controls, { workspace, handedOver }) : [];
  // A harmless control file may change if it stays harmless.
  const open = controls.filter(
    (one) => !closed.includes(one) && !isHarmless(one, { workspace, handedOver }),
  );
  const readOnly = closed.map(({ path }) => path);
  const stored = storeBaseline(baselinesIn(folder), randomBytes(12).toString("hex"), {
    workspace,
    known: [...closed, ...open].map(({ path }) => path),
    readOnly,
    leaves: open.flatMap(({ path }) => leavesOf(path, handedOver)),
    handedOver,
    quarantine,
  });
  const timer = setInterval(() => touchBaseline(stored), touchEveryMs).unref();
  return {
    readOnly,
    async finish() {
      clearInterval(timer);
      const undone = await undoChanges(stored);
      removeBaseline(stored);
      return [...left, ...undone];
    },
  };
}

/** Returns the folder of the baselines. */
function baselinesIn(folder: string): string {
  return join(folder, "baselines");
}

/** Undoes the changes to control files by commands whose process was killed, in any workspace. */
export async function undoLeftChanges(folder: string): Promise<UndoneChange[]> {
  const undone: UndoneChange[] = [];
  for (const baseline of readBaselines(baselinesIn(folder)).filter((one) => isAbandoned(one))) {
    try {
      undone.push(...(await undoChanges(baseline, { isLate: true })));
    } catch (error) {
      // Another process undid the same changes at the same time, and removed the baseline with its copies.
      if (isStored(baseline)) throw error;
    }
    removeBaseline(baseline);
  }
  return undone;
}

/** Removes the control files that another running command created: they are not verified yet, and do not count as existing. */
function withoutUnverified(
  underWay: readonly StoredBaseline[],
  workspace: string,
  found: readonly ControlPath[],
): ControlPath[] {
  const others = underWay.filter(
    (other) => isInside(workspace, other.workspace) || isInside(other.workspace, workspace),
  );
  const isUnverified = ({ path }: ControlPath, other: StoredBaseline): boolean =>
    isInside(path, other.workspace) &&
    !other.known.includes(path) &&
    !other.handedOver.some((one) => isInside(path, one));
  return found.filter((control) => !others.some((other) => isUnverified(control, other)));
}

/** Chooses the outermost control files, because tools read those. */
function chooseReadOnly(
  controls: readonly ControlPath[],
  context: ControlFileContext,
): ControlPath[] {
  const depth = ({ path }: ControlPath): number => path.split("/").length;
  return (
    controls
      .filter((control) => control.kind === "file" || control.kind === "folder")
      // Git keeps writing to these.
      .filter((control) => !isWrittenByGit(control) || !isHarmless(control, context))
      .sort((left, right) => depth(left) - depth(right))
      .slice(0, maxReadOnly)
  );
}
