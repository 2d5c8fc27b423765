import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import { isTerminal, type RunSpec } from "../../run/run.ts";
import { commitChanges } from "../../tool/git/commit-changes.ts";
import { commitText } from "../../tool/git/commit-text.ts";
import type { UnappliedFilter } from "../../tool/git/find-filters.ts";
import { addWorktree, removeLinkedWorktree } from "../../tool/git/linked-worktree.ts";
import { branchOf, linkedWorktree } from "../../tool/git/worktree-folder.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** Worktrees are created one after another, because a checkout keeps the disk busy. */
let making: Promise<unknown> = Promise.resolve();

/**
 * Creates the worktree of a run that asks for one. A resumed run continues in it.
 *
 * @throws CadreError `tool-unavailable` with git's message, for example for a repository without a commit.
 */
export async function enterWorktree(run: RunContext): Promise<void> {
  const { spec, steps, watchdog, warnings, signal } = run;
  const { worktree, workspace, id, continues } = spec;
  if (worktree === undefined) return;
  if (run.registry.files !== undefined) throw refuseWorktree(spec.agent);
  const { root } = worktree;
  const key = `worktree/${id}`;
  const make = async (): Promise<string[]> => {
    signal.throwIfAborted();
    const made = making.then(() => addWorktree(linkedWorktree(worktree)));
    making = made.catch(() => undefined);
    const filters = await watchdog.ignoreSilenceWhile(made);
    await mkdir(workspace, { recursive: true });
    return filters.map(describeFilter);
  };
  if (steps.isRecorded(key) && !existsSync(root)) {
    warnings.add(`The worktree ${root} was missing. It was created again without its changes.`);
    await make();
  }
  // A run that continues another one works in the same worktree.
  const isThere = continues !== undefined && existsSync(root);
  const work = async (): Promise<{ value: string[] | null }> => ({
    value: isThere ? [] : await make(),
  });
  const recorded = await steps.do({ key, kind: "note" }, work);
  // Journals of earlier versions have no value here.
  for (const warning of recorded ?? []) warnings.add(warning);
}

/** Returns the refusal for an agent in a worktree whose family's files reach workers through git. */
export function refuseWorktree(agent: string): CadreError {
  const message = `The agent ${agent} has \`isolation: worktree\`, which needs a repository that stays, but workers delete the checkouts of files by git. Submit the run with \`--workspace same\`, or use the agent without isolation.`;
  return new CadreError("tool-unavailable", message);
}

/** Names the files, so that readers do not mistake their stored form for their content. */
function describeFilter({ name, files: [first = "", ...others] }: UnappliedFilter): string {
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `In its worktree ${first}${more} did not go through the git filter "${name}", because Cadre executes no filters: the content is as git stores it.`;
}

/**
 * Commits the changes of a run on the branch of its worktree after it and its children have ended, and describes where they are.
 * The files of a family that another machine submitted are recorded at the end of its root. A worktree without changes is removed
 * by {@link removeUnchangedWorktree} once the run's end is recorded.
 */
export async function settleWorktree(
  registry: Registry,
  spec: RunSpec,
): Promise<string | undefined> {
  const { id, rootId, worktree } = spec;
  if (id === rootId && registry.files !== undefined) return await registry.files.finish(spec);
  if (worktree === undefined || !existsSync(worktree.root)) return undefined;
  const { root } = worktree;
  const linked = linkedWorktree(worktree);
  const branch = branchOf(linked.id);
  const isUsed = (await registry.children(id)).some(({ status }) => !isTerminal(status));
  if (isUsed)
    return `Runs that outlive it still work in its worktree: ${root}, on the branch ${branch}.`;
  try {
    const { commits, uncommitted } = await commitChanges(linked, commitText(spec));
    if (commits === 0 && uncommitted.length === 0) return undefined;
    if (commits === 0) {
      return `Its worktree ${root}, on the branch ${branch}, was kept. ${describeUncommitted(uncommitted)} Copy what you need, then \`cadre discard ${id}\`.`;
    }
    const rest = uncommitted.length === 0 ? "" : ` ${describeUncommitted(uncommitted)}`;
    return `Its changes are on the branch ${branch} (commits: ${commits}), in the worktree ${root}: \`cadre diff ${id}\`, \`cadre merge ${id}\`.${rest}`;
  } catch (error) {
    return `Its worktree was kept: ${root}, on the branch ${branch}. ${error instanceof Error ? error.message : ""}`;
  }
}

function describeUncommitted(paths: readonly string[]): string {
  return `Not committed, because they are separate git repositories: ${paths.join(", ")}.`;
}

/** Removes a worktree without changes. A failure leaves an unused folder. */
export async function removeUnchangedWorktree({ worktree }: RunSpec): Promise<void> {
  if (worktree === undefined || !existsSync(worktree.root)) return;
  try {
    await removeLinkedWorktree(linkedWorktree(worktree));
  } catch {
    // The failure cannot be reported: the result is already recorded.
  }
}
