import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import { addWorktree, removeLinkedWorktree } from "../../tool/git/linked-worktree.ts";
import { familyRefs, fetchRefs, listRefs } from "../../tool/git/remote/transfer.ts";
import type { Git } from "../../tool/git/run-git.ts";
import { gitFoldersOf, inRepository, type LinkedWorktree } from "../../tool/git/worktree-folder.ts";
import { moveHead } from "./family-commits.ts";
import { findTip } from "./find-tip.ts";
import { createFamilyFiles, type FamilyFiles } from "./family-files.ts";
import { fetchInTurn, type Mirror, openMirror, writeRepository } from "./mirror.ts";
import { readRecordedCommits, type RecordedFiles } from "../../registry/recorded-files.ts";

/** The folders and remotes that a worker uses for the files of families. */
export interface CheckoutOptions {
  /** The folder of mirrors and checkouts: the user's state folder, with symlinks resolved. */
  stateFolder: string;
  workerId: string;
  /** The prefixes of the addresses that the worker may fetch from. */
  clones: readonly string[];
}

/** The files of a family on this machine. */
export interface Checkout extends FamilyFiles {
  /** The folder with the files, absolute. It replaces the recorded folder. */
  root: string;
  /** A folder for the long outputs of the family, absolute. */
  stateDir: string;
  /**
   * The `RunSpec.definitionsAsOf` of the family's runs here, in epoch milliseconds. Submitted files that did not change are
   * older, files that the family changed are newer.
   */
  definitionsAsOf: number;
  /** Deletes the files and the outputs on this machine. */
  remove(): Promise<void>;
}

/**
 * Fetches the files of a family, and checks out the last commit that its journals name.
 *
 * @throws CadreError `not-trusted` for a remote that this worker may not use; `tool-unavailable` when the remote cannot be reached,
 * or lacks these files.
 */
export async function openCheckout(
  options: CheckoutOptions,
  { files, attempt, registry }: { files: RecordedFiles; attempt: number; registry: Registry },
): Promise<Checkout> {
  requireAllowed(files.remote, options.clones);
  const { rootId, commit, remote } = files;
  const mirror = await openMirror(join(options.stateFolder, "mirrors"), remote, commit);
  const id = `${rootId}.${attempt}`;
  const root = join(checkoutsOf(options), id);
  const stateDir = `${root}.state`;
  const checkout: LinkedWorktree = { root, from: mirror.folder, id };
  await mkdir(checkoutsOf(options), { recursive: true, mode: 0o700 });
  const recorded = await readRecordedCommits(registry, files);
  const tip = await inRepository(checkout, async (git) => {
    return await fetchInTurn(mirror, async () => await fetchTip(git, mirror, { files, recorded }));
  });
  await addWorktree(checkout, { commit });
  const definitionsAsOf = Date.now();
  if (tip !== commit) {
    // File times lag behind the clock by some milliseconds.
    await delay(20);
    await inRepository(checkout, async (git, repository) => {
      await moveHead(git, gitFoldersOf(checkout, repository), tip);
    });
  }
  await addRepository(checkout, files, mirror);
  return {
    root,
    stateDir,
    definitionsAsOf,
    ...createFamilyFiles({ files, mirror, checkout, tip, attempt, pushed: null }),
    async remove() {
      await removeLinkedWorktree(checkout);
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** Deletes the checkouts of workers whose processes are gone. */
export async function removeLeftCheckouts(
  { stateFolder }: Pick<CheckoutOptions, "stateFolder">,
  alive: readonly string[],
): Promise<void> {
  const folder = join(stateFolder, "worktrees", "families");
  const kept = new Set(alive.map(nameOf));
  for (const name of await namesIn(folder)) {
    if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
  const mirrors = join(stateFolder, "mirrors");
  for (const mirror of await namesIn(mirrors)) {
    const from = join(mirrors, mirror);
    for (const id of await namesIn(join(from, ".git/worktrees"))) {
      const link = join(from, ".git/worktrees", id, "gitdir");
      const root = dirname((await readFile(link, "utf8").catch(() => "")).trim());
      if (kept.has(basename(dirname(root)))) continue;
      await removeLinkedWorktree({ root: join(folder, "left", id), from, id });
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

function checkoutsOf({ stateFolder, workerId }: CheckoutOptions): string {
  return join(stateFolder, "worktrees", "families", nameOf(workerId));
}

function nameOf(workerId: string): string {
  return workerId.replaceAll(/[^\w.-]/g, "_");
}

function requireAllowed(remote: string, clones: readonly string[]): void {
  const isPlain = !remote.split("/").includes("..");
  const begins = (clone: string): boolean =>
    remote === clone || remote.startsWith(/[/:]$/.test(clone) ? clone : `${clone}/`);
  if (isPlain && clones.some(begins)) return;
  const message = `Expected a repository that this worker may clone (--clone); the files of the family are in ${remote}. Start the worker with --clone ${remote}, if you trust it.`;
  throw new CadreError("not-trusted", message);
}

/** Fetches the refs of a family, and returns the commit to start from. */
async function fetchTip(
  git: Git,
  { url }: Mirror,
  { files, recorded }: { files: RecordedFiles; recorded: ReadonlySet<string> },
): Promise<string> {
  const refs = familyRefs(files.rootId);
  const there = await listRefs(git, url, [refs.base, refs.work]);
  const base = there.get(refs.base);
  if (base !== files.commit) {
    const what = base === undefined ? "it does not exist" : `it names ${base}`;
    const message = `Expected ${refs.base} at ${files.remote} to name the files of the family, ${files.commit}; ${what}, so another program changed it. Restore the ref, or end the run with \`cadre cancel\`.`;
    throw new CadreError("tool-unavailable", message);
  }
  await fetchRefs(git, url, [...there.keys()]);
  return await findTip(git, { files, refs, found: there.get(refs.work) ?? null, recorded });
}

/**
 * Gives the checkout a separate repository with the history of the recorded commit, so that agents can use git. They cannot reach
 * the mirror, which records their files.
 */
async function addRepository(
  checkout: LinkedWorktree,
  { rootId, commit }: RecordedFiles,
  mirror: Mirror,
): Promise<void> {
  const { root } = checkout;
  const refs = familyRefs(rootId);
  await rm(join(root, ".git"));
  await writeRepository(root, { head: `ref: ${refs.result}`, commit });
  const own = { root, from: root };
  await inRepository(own, async (git) => {
    await fetchRefs(git, join(mirror.folder, ".git"), [`${refs.base}:${refs.result}`]);
  });
  const index = await inRepository(checkout, async (_, repository) => {
    return await Promise.resolve(join(gitFoldersOf(checkout, repository).gitFolder, "index"));
  });
  await copyFile(index, join(root, ".git/index"));
}
