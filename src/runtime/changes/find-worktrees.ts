import { existsSync } from "node:fs";
import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import { findLatestTurn } from "../../registry/find-latest-turn.ts";
import { type RecordedFiles, readRecordedFiles } from "../../registry/recorded-files.ts";
import type { Registry } from "../../registry/registry.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import { selectDescendants } from "../../run/select-descendants.ts";
import { type LinkedWorktree, linkedWorktree } from "../../tool/git/worktree-folder.ts";
import { realPathOf } from "../../source/file/real-path.ts";
import { fetchRemoteChanges, type RemoteChanges } from "./remote-changes.ts";
import { checkRecordedWorkspace, type WorkspaceFolders } from "../admission/check-workspace.ts";

/** A run with a worktree of its own. */
export interface IsolatedRun {
  run: Run;
  spec: RunSpec;
  /** For changes at a remote: the folder that the files came from, and none of its own. */
  worktree: LinkedWorktree;
  /** Its changes, when a worker made them in a checkout of its own. */
  remote?: RemoteChanges;
}

/** Where runs may work, and the remote through which workers get files. */
export interface WorktreeSources extends WorkspaceFolders {
  /** The setting `worker.remote`. */
  remote: string;
}

/**
 * Finds the worktree of a run or, if it has none, those of its nearest descendants that have one. A worktree that was removed,
 * because nothing had changed in it or because it was merged, is left out.
 *
 * @throws CadreError `invalid-argument` when there is none, or when the journal names a folder outside of Cadre's own.
 */
export async function findWorktrees(
  registry: Registry,
  run: Run,
  sources: WorktreeSources,
): Promise<IsolatedRun[]> {
  const files = await readRecordedFiles(registry, run.rootId);
  if (files !== undefined) return [await findRemote(registry, run, { sources, files })];
  const own = await readWorktree(registry, run, sources);
  const found = own === undefined ? await findBelow(registry, run, sources) : [own];
  const there = found.filter(({ worktree }) => existsSync(worktree.root));
  if (there.length > 0) return there;
  const why =
    found.length === 0
      ? "neither it nor a run below it has `isolation: worktree`"
      : "its changes are merged or discarded, or it changed nothing";
  throw new CadreError("invalid-argument", `The run ${run.id} has no worktree: ${why}.`);
}

/** Finds the changes of a family whose files are in a remote. */
async function findRemote(
  registry: Registry,
  run: Run,
  { sources, files }: { sources: WorktreeSources; files: RecordedFiles },
): Promise<IsolatedRun> {
  if (run.id !== run.rootId) {
    const message = `The run ${run.id} has no changes of its own: those of its family are together. Name the run ${run.rootId}.`;
    throw new CadreError("invalid-argument", message);
  }
  const spec = await registry.spec(run.id);
  if (spec === undefined) throw new CadreError("run-not-found", `There is no run ${run.id}.`);
  checkRecordedWorkspace(sources, spec);
  const root = join(realPathOf(sources.stateFolder), "worktrees", run.id);
  const worktree = { root, from: spec.workspace, id: run.id };
  const remote = await fetchRemoteChanges(worktree, files, sources.remote);
  if (remote !== undefined) return { run, spec, worktree, remote };
  const why = "its changes are merged or discarded, or it changed nothing";
  throw new CadreError("invalid-argument", `The run ${run.id} has no changes: ${why}.`);
}

async function findBelow(
  registry: Registry,
  run: Run,
  folders: WorkspaceFolders,
): Promise<IsolatedRun[]> {
  const found: IsolatedRun[] = [];
  for (const child of await registry.children(run.id)) {
    const own = await readWorktree(registry, child, folders);
    if (own === undefined) found.push(...(await findBelow(registry, child, folders)));
    else found.push(own);
  }
  return found;
}

async function readWorktree(
  registry: Registry,
  run: Run,
  folders: WorkspaceFolders,
): Promise<IsolatedRun | undefined> {
  const spec = await registry.spec(run.id);
  if (spec?.worktree === undefined) return undefined;
  // A journal may come from elsewhere, and its paths may be any.
  checkRecordedWorkspace(folders, spec);
  return { run, spec, worktree: linkedWorktree(spec.worktree) };
}

/** Requires that neither the run nor a descendant still works in the worktree. */
export async function requireEnded(registry: Registry, { run }: IsolatedRun): Promise<void> {
  // The next turns of a conversation work in the same worktree.
  const latest = await findLatestTurn(registry, run);
  const family = await registry.family(run.rootId);
  const active = [run, ...selectDescendants(run.id, family), latest].find(
    ({ status }) => !isTerminal(status),
  );
  if (active === undefined) return;
  const message = `Expected a run that has ended; ${active.id} is ${active.status} and works in the worktree. Wait for it, or end it with \`cadre cancel ${active.id}\`.`;
  throw new CadreError("invalid-argument", message);
}
