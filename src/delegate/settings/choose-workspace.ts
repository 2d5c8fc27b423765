import { realpathSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import type { RunSpec } from "../../run/run.ts";
import { isInside, realPathOf } from "../../source/file/real-path.ts";
import { findRepository } from "../../source/file/project-root.ts";

/** Options of {@link chooseWorkspace}. */
export interface WorkspaceOptions {
  /** The run's id. */
  id: string;
  /** The caller's workspace; absolute. */
  from: string;
  /** The folder of the registry, which contains the worktrees. */
  stateFolder: string;
}

/** Returns the folder for the temporary workspaces of evals, below the registry's folder. Root runs may work there. */
export function evalFolder(stateFolder: string): string {
  return join(realPathOf(resolve(stateFolder)), "worktrees", "evals");
}

/**
 * Chooses the folder of a run in its caller's workspace, or in `others`. All paths are absolute and real.
 *
 * @throws CadreError `invalid-argument` for a folder outside of them, and for a path that is not a folder.
 */
export function chooseFolder(
  workspace: string,
  cwd: string | undefined,
  others: readonly string[] = [],
): string {
  if (cwd === undefined) return workspace;
  const folder = realPathOf(resolve(workspace, cwd));
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && [workspace, ...others].some((root) => isInside(folder, root))) return folder;
  const came = isFolder ? "which is outside of it" : "which is not a folder";
  const message = `Expected \`cwd\` to be a folder in ${workspace}; got ${cwd}, ${came}.`;
  throw new CadreError("invalid-argument", message);
}

/**
 * Chooses the workspace of a run: the caller's folder `from`, or a new git worktree, which is created when the run starts.
 *
 * @throws CadreError `invalid-argument` outside a git repository.
 */
export function chooseWorkspace(
  { name, isolation }: AgentDefinition,
  { id, from, stateFolder }: WorkspaceOptions,
): Pick<RunSpec, "workspace" | "worktree"> {
  if (isolation === undefined) return { workspace: from };
  const repository = findRepository(from);
  const wants = `Agent ${name} works in its own git worktree (\`isolation: worktree\`)`;
  if (repository === undefined) {
    const message = `${wants}, and ${from} is not in a git repository. Create one with \`git init\` and a first commit, or remove \`isolation\` from its definition.`;
    throw new CadreError("invalid-argument", message);
  }
  const root = join(realpathSync(stateFolder), "worktrees", id);
  return { workspace: join(root, relative(repository, from)), worktree: { root, from } };
}
