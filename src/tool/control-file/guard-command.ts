import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isInside } from "../path-confinement.ts";
import {
  isLeft,
  readBaselines,
  removeBaseline,
  type StoredBaseline,
  storeBaseline,
  touchBaseline,
} from "./baseline.ts";
import type { ControlPath } from "./control-path.ts";
import { findControlPaths } from "./find-control-paths.ts";
import { type HarmlessPlace, isHarmless, isWrittenByGit } from "./is-harmless.ts";
import { leavesOf } from "./leaf.ts";
import { type UndoneChange, undoChanges } from "./undo-changes.ts";

/** What is known of a command before it runs. */
export interface GuardedCommand {
  /** Absolute, real. */
  workspace: string;
  /** Whether what is said to be read-only is so for the command. */
  isSandboxed: boolean;
  /** What the user handed over to commands, and what is hidden from them; absolute. */
  handedOver: readonly string[];
  /** Where what is undone goes; absolute, out of reach of the command. */
  quarantine: string;
}

/** The guard of one command. */
export interface CommandGuard {
  /** The control files that the sandbox has to make read-only. */
  readOnly: readonly string[];
  /** To be called when nothing of the command runs any more: undoes what it did to control files. */
  finish(): Promise<UndoneChange[]>;
}

/** Mounts cost time, more with each: what is above this number is compared and put back instead. */
const mostReadOnly = 40;
const touchEveryMs = 2000;

/**
 * Notes the control files of a workspace before a command runs in it. What a killed process left to be undone is undone
 * first. `folder` is that of `commandFolder`.
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
  // What is harmless as it is may change, as long as it stays so.
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

/** Where baselines are kept in the folder for commands. */
function baselinesIn(folder: string): string {
  return join(folder, "baselines");
}

/** Undoes what commands of killed processes did to control files, in any workspace. */
export async function undoLeftChanges(folder: string): Promise<UndoneChange[]> {
  const undone: UndoneChange[] = [];
  for (const baseline of readBaselines(baselinesIn(folder)).filter((one) => isLeft(one))) {
    undone.push(...(await undoChanges(baseline, { isLate: true })));
    removeBaseline(baseline);
  }
  return undone;
}

/** What another command made while it runs was not verified yet: it does not count as having been there. */
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

/** The outermost ones first: those are what tools look at. */
function chooseReadOnly(controls: readonly ControlPath[], place: HarmlessPlace): ControlPath[] {
  const depth = ({ path }: ControlPath): number => path.split("/").length;
  return (
    controls
      .filter((control) => control.kind === "file" || control.kind === "folder")
      // Git goes on writing to it.
      .filter((control) => !isWrittenByGit(control) || !isHarmless(control, place))
      .sort((left, right) => depth(left) - depth(right))
      .slice(0, mostReadOnly)
  );
}
