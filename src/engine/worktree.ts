import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { Registry } from "../registry/registry.ts";
import { isTerminal, type RunSpec } from "../run/run.ts";
import {
  addWorktree,
  branchOf,
  findChanges,
  removeWorktree as removeLinkedWorktree,
  type UnappliedFilter,
} from "../tool/git/linked-worktree.ts";
import type { Session } from "./session.ts";

/** Worktrees are made one after another: a checkout keeps the disk busy. */
let making: Promise<unknown> = Promise.resolve();

/**
 * Makes the worktree of a run that wants one; a run that is resumed goes on in it.
 *
 * @throws CadreError `tool-unavailable` with what git said, such as for a repository without a commit.
 */
export async function enterWorktree(session: Session): Promise<void> {
  const { spec, steps, watchdog, warnings, signal } = session;
  const { worktree, workspace, id } = spec;
  if (worktree === undefined) return;
  const { root } = worktree;
  const key = `worktree/${id}`;
  const make = async (): Promise<string[]> => {
    signal.throwIfAborted();
    const made = making.then(() => addWorktree({ ...worktree, id }));
    making = made.catch(() => undefined);
    const filters = await watchdog.trustWhile(made);
    await mkdir(workspace, { recursive: true });
    return filters.map(describeFilter);
  };
  if (steps.isRecorded(key) && !existsSync(root)) {
    warnings.add(`The worktree ${root} was gone. It was made anew, without what was done in it.`);
    await make();
  }
  const work = async (): Promise<{ value: string[] | null }> => ({ value: await make() });
  const said = await steps.do({ key, kind: "note" }, work);
  // Journals of earlier versions say nothing here.
  for (const warning of said ?? []) warnings.add(warning);
}

/** Files are named, so that nobody takes what they hold for their content. */
function describeFilter({ name, files: [first = "", ...others] }: UnappliedFilter): string {
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `In its worktree ${first}${more} did not go through the git filter "${name}", because Cadre executes none: the content is as git stores it.`;
}

/**
 * What a run has to say of its worktree when it and its children have ended: where its changes are. A worktree without
 * any is removed by {@link removeWorktree} once the run's end is recorded.
 */
export async function describeWorktree(
  registry: Registry,
  { id, worktree }: RunSpec,
): Promise<string | undefined> {
  if (worktree === undefined || !existsSync(worktree.root)) return undefined;
  const { root } = worktree;
  const where = `${root}, on the branch ${branchOf(id)}`;
  const isUsed = (await registry.children(id)).some(({ status }) => !isTerminal(status));
  if (isUsed) return `Runs that outlive it work in its worktree: ${where}.`;
  try {
    const { files, commits } = await findChanges({ ...worktree, id });
    if (files === 0 && commits === 0) return undefined;
    return `Its changes are in its worktree: ${where} (files not committed: ${files}, commits: ${commits}).`;
  } catch (error) {
    return `Its worktree was kept: ${where}. ${error instanceof Error ? error.message : ""}`;
  }
}

/** Removes what {@link describeWorktree} had nothing to say of. What goes wrong leaves a folder that nobody needs. */
export async function removeWorktree({ id, worktree }: RunSpec): Promise<void> {
  if (worktree === undefined || !existsSync(worktree.root)) return;
  try {
    await removeLinkedWorktree({ ...worktree, id });
  } catch {
    // It is said nowhere: the result is recorded.
  }
}
