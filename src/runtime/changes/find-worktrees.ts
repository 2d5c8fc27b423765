import { existsSync } from "node:fs";
import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import { findAbandoned } from "../../registry/find-abandoned.ts";
import { findLatestTurn } from "../../registry/find-latest-turn.ts";
import { type RecordedFiles, readRecordedFiles } from "../../registry/recorded-files.ts";
import type { Registry } from "../../registry/registry.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import { selectDescendants } from "../../run/select-descendants.ts";
import { type LinkedWorktree, linkedWorktree } from "../../tool/git/worktree-folder.ts";
import { realPathOf } from "../../source/file/real-path.ts";
import { fetchRemoteChanges, type RemoteChanges } from "./remote-changes.ts";
import { checkRecordedWorkspace, type WorkspaceFolders } from "../admission/check-workspace.ts";

/** A run with its own worktree. */
export interface IsolatedRun {
  run: Run;
  spec: RunSpec;
  /** For changes at a remote: the folder that the files came from. There is no worktree then. */
  worktree: LinkedWorktree;
  /** Its changes, when a worker made them in a separate checkout. */
  remote?: RemoteChanges;
}

/** The folders that runs may work in, and the remote from which workers get files. */
export interface WorktreeSources extends WorkspaceFolders {
  /** The setting `worker.remote`. */
  remote: string;
}

/** The worktrees of a run or of the runs below it. */
export interface FoundWorktrees {
  /** The runs whose worktrees exist. */
  runs: IsolatedRun[];
  /** The other worktrees: their changes are merged or discarded, or there were none. */
  removed: IsolatedRun[];
}

/**
 * Finds the worktree of a run or, if it has none, those of its nearest descendants that have one.
 *
 * @throws CadreError `invalid-argument` when there never was one, or when the journal names a folder outside Cadre's own.
 */
export async function findWorktrees(
  registry: Registry,
  run: Run,
  sources: WorktreeSources,
): Promise<FoundWorktrees> {
  const files = await readRecordedFiles(registry, run.rootId);
  if (files !== undefined) return await findRemote(registry, run, { sources, files });
  const own = await readWorktree(registry, run, sources);
  const found = own === undefined ? await findBelow(registry, run, sources) : [own];
  if (found.length === 0) {
    const message = `The run ${run.id} has no worktree: neither it nor a run below it has \`isolation: worktree\`.`;
    throw new CadreError("invalid-argument", message);
  }
  const isThere = ({ worktree }: IsolatedRun): boolean => existsSync(worktree.root);
  return { runs: found.filter(isThere), removed: found.filter((one) => !isThere(one)) };
}

/** Finds the changes of a family whose files are in a remote. */
async function findRemote(
  registry: Registry,
  run: Run,
  { sources, files }: { sources: WorktreeSources; files: RecordedFiles },
): Promise<FoundWorktrees> {
  if (run.id !== run.rootId) {
    const message = `The run ${run.id} has no separate changes: those of its family are kept together. Name the run ${run.rootId}.`;
    throw new CadreError("invalid-argument", message);
  }
  const spec = await registry.spec(run.id);
  if (spec === undefined) throw new CadreError("run-not-found", `There is no run ${run.id}.`);
  checkRecordedWorkspace(sources, spec);
  const root = join(realPathOf(sources.stateFolder), "worktrees", run.id);
  const worktree = { root, from: spec.workspace, id: run.id };
  const remote = await fetchRemoteChanges(worktree, files, sources.remote);
  const own = { run, spec, worktree };
  if (remote === undefined) return { runs: [], removed: [own] };
  return { runs: [{ ...own, remote }], removed: [] };
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

/**
 * Returns the worktree of a run, which may be removed; `undefined` for a run without its own.
 *
 * @throws CadreError `invalid-argument` when the journal names a folder outside Cadre's own.
 */
export async function readWorktree(
  registry: Registry,
  run: Run,
  folders: WorkspaceFolders,
): Promise<IsolatedRun | undefined> {
  const spec = await registry.spec(run.id);
  if (spec?.worktree === undefined) return undefined;
  // A journal may come from elsewhere and contain any path.
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
  const isAbandoned = (await findAbandoned(registry)).includes(active.rootId);
  const advice = isAbandoned
    ? `Its process is gone: continue it with \`cadre resume ${active.rootId}\``
    : "Wait for it";
  const message = `Expected a run that has ended; ${active.id} is ${active.status} and works in the worktree. ${advice}, or end it with \`cadre cancel ${active.id}\`.`;
  throw new CadreError("invalid-argument", message);
}
