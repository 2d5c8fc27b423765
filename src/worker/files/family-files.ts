import { setTimeout as delay } from "node:timers/promises";
import { CadreError } from "../../errors.ts";
import type { FileRecorder } from "../../registry/file-recorder.ts";
import type { Registry } from "../../registry/registry.ts";
import { commitFiles, identity } from "../../tool/git/commit-changes.ts";
import { commitText } from "../../tool/git/commit-text.ts";
import { familyRefs, fetchRefs, listRefs, pushRefs } from "../../tool/git/remote/transfer.ts";
import type { RefChange } from "../../tool/git/remote/transfer.ts";
import type { Git, GitPlace } from "../../tool/git/run-git.ts";
import { gitPlaceOf, inRepository, type LinkedWorktree } from "../../tool/git/worktree-place.ts";
import { describeMoved, findTip } from "./find-tip.ts";
import { fetchInTurn, type Mirror } from "./mirror.ts";
import { readRecordedCommits, type RecordedFiles } from "../../registry/recorded-files.ts";

/** What {@link createFamilyFiles} needs. */
export interface FamilyFilesPlace {
  files: RecordedFiles;
  mirror: Mirror;
  /** The checkout of the mirror in which the family works. */
  checkout: LinkedWorktree;
  /** The commit that was checked out. */
  tip: string;
  /** Names the attempt in commits. */
  attempt: number;
}

/** The files of a family that this worker executes. */
export interface FamilyFiles {
  /** Brings the files to the last commit of the journal, and makes this worker the only one that may record files. */
  claim(registry: Registry): Promise<void>;
  /** Creates what records the files. A failure fails the registry. */
  createRecorder(registry: Pick<Registry, "fail">): FileRecorder;
  /** Deletes the refs of the family at the remote, except the branch with its changes. */
  deleteRefs(): Promise<void>;
}

/** The pauses before a push is tried again, in milliseconds. */
const pauses: readonly number[] = [500, 2000, 5000, 15_000, 30_000];

/** Creates the files of one family from a checkout. */
export function createFamilyFiles(place: FamilyFilesPlace): FamilyFiles {
  const { files, mirror, checkout, attempt } = place;
  const refs = familyRefs(files.rootId);
  /** The last commit of the files here. */
  let tip = place.tip;
  /** The commit that the work ref of the remote names, by all that this worker knows. */
  let pushed: string | null = null;
  let working: Promise<unknown> = Promise.resolve();
  let waiting: Promise<string> | undefined;

  const inMirror = async <Value>(
    work: (git: Git, own: GitPlace) => Promise<Value>,
  ): Promise<Value> =>
    await inRepository({ ...checkout, from: mirror.folder }, async (git, repository) => {
      return await work(git, gitPlaceOf(checkout, repository));
    });

  /** Does one thing after the other. A failure ends the registry, so that the family goes on elsewhere. */
  async function inTurn<Value>(
    registry: Pick<Registry, "fail">,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const mine = working.then(work);
    working = mine.catch((error: unknown) => registry.fail(error));
    return await mine;
  }

  async function push(git: Git, change: RefChange): Promise<void> {
    if (await pushPatiently(git, mirror.url, change)) return;
    throw await describeMoved(git, mirror.url, change);
  }

  async function record(message: string): Promise<string> {
    return await inMirror(async (git, own) => {
      const variables = identity("cadre", "cadre@cadre.invalid");
      const made = await commitFiles(git, own, { message, variables });
      if (made.tip !== tip) await push(git, { ref: refs.work, from: pushed, to: made.tip });
      if (made.tip !== tip) pushed = made.tip;
      tip = made.tip;
      return tip;
    });
  }

  /** Takes the work ref: a worker that had the family before does not know its new commit. */
  async function claim(registry: Registry): Promise<void> {
    const recorded = await readRecordedCommits(registry, files);
    await inMirror(async (git, own) => {
      const found = (await listRefs(git, mirror.url, [refs.work])).get(refs.work) ?? null;
      if (found !== null) {
        await fetchInTurn(mirror, async () => await fetchRefs(git, mirror.url, [refs.work]));
      }
      const last = await findTip(git, { files, refs, found, recorded });
      if (last !== tip) {
        await git(["update-ref", "HEAD", last], own);
        await git(["read-tree", "--reset", "-u", "HEAD"], own);
      }
      const words = ["commit-tree", `${last}^{tree}`, "-p", last, "-m", `Attempt ${attempt}`];
      const variables = identity("cadre", "cadre@cadre.invalid");
      const mark = (await git(words, { variables })).trim();
      await push(git, { ref: refs.work, from: found, to: mark });
      await git(["update-ref", "HEAD", mark], own);
      tip = mark;
      pushed = mark;
    });
  }

  /** Makes one commit of all changes, and a branch of it. */
  async function publish(message: string, author: string): Promise<boolean> {
    return await inMirror(async (git) => {
      const tree = (await git(["rev-parse", `${tip}^{tree}`])).trim();
      if (tree === (await git(["rev-parse", `${files.commit}^{tree}`])).trim()) return false;
      const found = (await listRefs(git, mirror.url, [refs.result])).get(refs.result) ?? null;
      if (found !== null) {
        await fetchInTurn(mirror, async () => await fetchRefs(git, mirror.url, [refs.result]));
        if ((await git(["rev-parse", `${found}^{tree}`])).trim() === tree) return true;
      }
      const variables = identity(author, "cadre@cadre.invalid");
      const words = ["commit-tree", tree, "-p", files.commit, "-m", message];
      const commit = (await git(words, { variables })).trim();
      await push(git, { ref: refs.result, from: found, to: commit });
      return true;
    });
  }

  return {
    claim,
    createRecorder: (registry) => ({
      async record({ runId, step }) {
        // A record that has not begun will have these changes too.
        waiting ??= inTurn(registry, async () => {
          waiting = undefined;
          return await record(`Files after ${step}\n\nCadre-Run: ${runId}`);
        });
        return await waiting;
      },
      async finish(spec) {
        const { message, author } = commitText(spec);
        const isPublished = await inTurn(registry, async () => {
          await record(`Files at the end\n\nCadre-Run: ${spec.id}`);
          return await publish(message, author);
        });
        if (!isPublished) return undefined;
        const branch = refs.result.replace("refs/heads/", "");
        return `Its changes are on the branch ${branch} of ${files.remote}: \`cadre diff ${spec.id}\`, \`cadre merge ${spec.id}\`.`;
      },
    }),
    async deleteRefs() {
      await inMirror(async (git) => {
        const found = await listRefs(git, mirror.url, [refs.base, refs.work]);
        const changes = [...found].map(([ref, from]) => ({ ref, from, to: null }));
        if (changes.length > 0) await pushRefs(git, mirror.url, changes);
      });
    },
  };
}

async function pushPatiently(git: Git, url: string, change: RefChange): Promise<boolean> {
  for (const pause of pauses) {
    try {
      return await pushRefs(git, url, [change]);
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      await delay(pause);
    }
  }
  return await pushRefs(git, url, [change]);
}
