import { existsSync } from "node:fs";
import { basename } from "node:path";
import { mkdir } from "node:fs/promises";
import type { Registry } from "../../registry/registry.ts";
import { isTerminal, type RunSpec } from "../../run/run.ts";
import {
  addWorktree,
  branchOf,
  findChanges,
  type LinkedWorktree,
  removeLinkedWorktree,
  type UnappliedFilter,
} from "../../tool/git/linked-worktree.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** Worktrees are created one after another, because a checkout keeps the disk busy. */
let making: Promise<unknown> = Promise.resolve();

/**
 * Creates the worktree of a run that asks for one. A resumed run continues in it.
 *
 * @throws CadreError `tool-unavailable` with git's message, such as for a repository without a commit.
 */
export async function enterWorktree(run: RunContext): Promise<void> {
  const { spec, steps, watchdog, warnings, signal } = run;
  const { worktree, workspace, id, continues } = spec;
  if (worktree === undefined) return;
  const { root } = worktree;
  const key = `worktree/${id}`;
  const make = async (): Promise<string[]> => {
    signal.throwIfAborted();
    const made = making.then(() => addWorktree(named(worktree)));
    making = made.catch(() => undefined);
    const filters = await watchdog.ignoreSilenceWhile(made);
    await mkdir(workspace, { recursive: true });
    return filters.map(describeFilter);
  };
  if (steps.isRecorded(key) && !existsSync(root)) {
    warnings.add(`The worktree ${root} was missing. It was created again, without its changes.`);
    await make();
  }
  // A run that continues another works where that one did.
  const isThere = continues !== undefined && existsSync(root);
  const work = async (): Promise<{ value: string[] | null }> => ({
    value: isThere ? [] : await make(),
  });
  const said = await steps.do({ key, kind: "note" }, work);
  // Journals of earlier versions have no value here.
  for (const warning of said ?? []) warnings.add(warning);
}

/** A worktree is named after the run that created it, as its folder is. */
function named(worktree: NonNullable<RunSpec["worktree"]>): LinkedWorktree {
  return { ...worktree, id: basename(worktree.root) };
}

/** Names the files, so that their stored form is not mistaken for their content. */
function describeFilter({ name, files: [first = "", ...others] }: UnappliedFilter): string {
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `In its worktree ${first}${more} did not go through the git filter "${name}", because Cadre executes none: the content is as git stores it.`;
}

/**
 * Describes where the changes of a run are when it and its children have ended. A worktree without changes is removed by {@link
 * removeUnchangedWorktree} once the run's end is recorded.
 */
export async function describeWorktree(
  registry: Registry,
  { id, worktree }: RunSpec,
): Promise<string | undefined> {
  if (worktree === undefined || !existsSync(worktree.root)) return undefined;
  const { root } = worktree;
  const linked = named(worktree);
  const where = `${root}, on the branch ${branchOf(linked.id)}`;
  const isUsed = (await registry.children(id)).some(({ status }) => !isTerminal(status));
  if (isUsed) return `Runs that outlive it work in its worktree: ${where}.`;
  try {
    const { files, commits } = await findChanges(linked);
    if (files === 0 && commits === 0) return undefined;
    return `Its changes are in its worktree: ${where} (files not committed: ${files}, commits: ${commits}).`;
  } catch (error) {
    return `Its worktree was kept: ${where}. ${error instanceof Error ? error.message : ""}`;
  }
}

/** Removes a worktree without changes. A failure leaves an unused folder. */
export async function removeUnchangedWorktree({ worktree }: RunSpec): Promise<void> {
  if (worktree === undefined || !existsSync(worktree.root)) return;
  try {
    await removeLinkedWorktree(named(worktree));
  } catch {
    // The failure cannot be reported: the result is already recorded.
  }
}
