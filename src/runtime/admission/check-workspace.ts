import { basename, join, resolve } from "node:path";
import { CadreError } from "../../errors.ts";
import { isRunId } from "../../run/run-id.ts";
import type { RunSpec } from "../../run/run.ts";
import { findProjectRoot } from "../../source/file/project-root.ts";
import { isInside, realPathOf } from "../../source/file/real-path.ts";
import type { AdmissionContext } from "./admission-context.ts";

/** The folders that runs may work in. */
export type WorkspaceFolders = Pick<AdmissionContext, "cwd" | "home" | "stateFolder">;

/**
 * Requires that a recorded run works where a new one could: in the project of this Cadre, or in a worktree beside the registry.
 *
 * @throws CadreError `invalid-argument`.
 */
export function checkRecordedWorkspace(folders: WorkspaceFolders, spec: RunSpec): void {
  const { id, rootId, conversation = rootId, workspace, worktree } = spec;
  if (![id, rootId, conversation].every(isRunId)) {
    throw new CadreError("invalid-argument", "Its id is not one that Cadre gives.");
  }
  const worktrees = join(realPathOf(resolve(folders.stateFolder)), "worktrees");
  const project = findProjectRoot(folders);
  const roots = [realPathOf(project), worktrees];
  const own = join(worktrees, worktreeName(spec));
  const allowed = worktree === undefined ? roots : [own];
  requireInside(workspace, allowed, `It works in ${workspace}`, project);
  if (worktree === undefined) return;
  const { root, from } = worktree;
  if (root !== own) {
    const message = `Its worktree is ${root}; expected ${own}.`;
    throw new CadreError("invalid-argument", message);
  }
  requireInside(from, roots, `Its worktree was created from ${from}`, project);
}

/** A run that continues another run works in its worktree, which has the id of the run that created it. */
function worktreeName({ id, continues, worktree }: RunSpec): string {
  const name = basename(worktree?.root ?? "");
  return continues !== undefined && isRunId(name) ? name : id;
}

function requireInside(
  path: string,
  roots: readonly string[],
  what: string,
  project: string,
): void {
  const real = realPathOf(path);
  if (resolve(path) === path && roots.some((root) => isInside(real, root))) return;
  const message = `${what}, which is outside the project ${project} that Cadre was opened for. Continue it in the project it belongs to.`;
  throw new CadreError("invalid-argument", message);
}
