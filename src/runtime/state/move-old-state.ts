import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { LoadedConfig } from "../../config/load-config.ts";
import { findStateRoot, projectStateFolder } from "../../config/state-folder.ts";
import { type Diagnostic, hasError, type Severity } from "../../source/diagnostic.ts";
import { projectFolders } from "../../source/file/project-root.ts";
import { moveState, type StateMove } from "./move-state.ts";
import { errorMessage } from "../../error-message.ts";

/** The location of a project. */
export interface MoveOldStateOptions {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Reports whether the user trusts a folder permanently. */
  isTrusted: (path: string) => boolean;
}

/**
 * Moves the registry that earlier versions stored in the project, in `.cadre/state`, to its current place. This happens once:
 * when the new place is empty, no other folder is configured, and the user trusts the project, because a project may ship a
 * registry. Returns findings; an error means that the move failed.
 */
export function moveOldState(
  { config, diagnostics }: LoadedConfig,
  options: MoveOldStateOptions,
): Diagnostic[] {
  const root = findStateRoot(options);
  const to = projectStateFolder(root, options);
  // A broken file may have configured another folder.
  if (config.stateDir !== to || hasError(diagnostics)) return [];
  const folders = new Set([...projectFolders(options), root]);
  return [...folders]
    .filter((folder) => existsSync(join(folder, ".cadre", "state", "cadre.db")))
    .flatMap((folder) => treat(folder, to, options) ?? []);
}

function treat(
  folder: string,
  to: string,
  { isTrusted }: MoveOldStateOptions,
): Diagnostic | undefined {
  const from = join(folder, ".cadre", "state");
  const report = createReport(from);
  const isTaken = existsSync(join(to, "cadre.db"));
  if (!isTrusted(folder)) {
    const message =
      "The registry here was not read: the folder is not trusted, so it may have come from anyone.";
    const fix = isTaken
      ? "Remove it."
      : "If its runs are yours, type `cadre trust`; else remove it.";
    return report("warning", "state-not-trusted", message, fix);
  }
  if (isTaken) {
    const message = `The registry here was not read: the runs of this project are kept in ${to}.`;
    const fix = `Remove it; CADRE_STATE_DIR=${from} shows its runs.`;
    return report("warning", "state-left", message, fix);
  }
  try {
    refuseLinks(folder);
    const moved = moveState(from, to);
    return moved && report("info", "state-moved", describeMove(moved, to), null);
  } catch (error) {
    // The move is atomic: another process has just completed it.
    if (existsSync(join(to, "cadre.db"))) return undefined;
    const reason = errorMessage(error);
    const message = `The registry here should be moved to ${to}, once, and could not be: ${reason}`;
    const fix = `Correct that and try again, or set CADRE_STATE_DIR=${from} to continue with it here.`;
    return report("error", "state-not-moved", message, fix);
  }
}

function refuseLinks(folder: string): void {
  const paths = ["", "state", "state/cadre.db", "state/cadre.db-wal", "state/cadre.db-shm"];
  for (const path of paths.map((name) => join(folder, ".cadre", name))) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Error(`${path} is a symlink.`);
  }
}

function describeMove({ skipped, left }: StateMove, to: string): string {
  const sentences = [`The runs of this project were moved to ${to} and are kept there.`];
  if (left.length > 0) {
    sentences.push(
      `Left here: ${left.join(", ")}. Worktrees stay, because git refers to them by path.`,
    );
  }
  if (skipped > 0) sentences.push(`Links and special files were not copied (${skipped}).`);
  return sentences.join(" ");
}

function createReport(path: string) {
  return (severity: Severity, code: string, message: string, fix: string | null): Diagnostic => {
    return { path, line: 1, column: 1, severity, code, message, fix };
  };
}
