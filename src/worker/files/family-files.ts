import type { FileRecorder } from "../../registry/file-recorder.ts";
import type { Registry } from "../../registry/registry.ts";
import { commitText, runTrailer } from "../../tool/git/commit-text.ts";
import { branchOf } from "../../tool/git/worktree-folder.ts";
import type { RecordedFiles } from "../../registry/recorded-files.ts";
import {
  deleteFamilyRefs,
  type FamilyCommits,
  publishChanges,
  recordCheckout,
  takeFiles,
} from "./family-commits.ts";

/** The files of a family that this worker executes. */
export interface FamilyFiles {
  /** Moves the files to the last commit in the journal, and makes this worker the only one that may record files. */
  claim(registry: Registry): Promise<void>;
  /** Creates the recorder of the files. A failure fails the registry. */
  createRecorder(registry: Pick<Registry, "fail">): FileRecorder;
  /** Deletes the refs of the family at the remote, except the branch with its changes. */
  deleteRefs(): Promise<void>;
}

/** Creates the files of one family from a checkout. */
export function createFamilyFiles(commits: FamilyCommits): FamilyFiles {
  const { files } = commits;
  let last: Promise<unknown> = Promise.resolve();

  /** Does one task at a time, in order. A failure fails the registry, and another worker continues the family. */
  async function inTurn<Value>(
    registry: Pick<Registry, "fail">,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const mine = last.then(work);
    last = mine.catch((error: unknown) => registry.fail(error));
    return await mine;
  }

  function createRecorder(registry: Pick<Registry, "fail">): FileRecorder {
    let waiting: Promise<string> | undefined;
    return {
      async record({ runId, step }) {
        // A record that has not begun includes these changes too.
        waiting ??= inTurn(registry, async () => {
          waiting = undefined;
          const text = `Files after ${step}\n\n${runTrailer(runId)}`;
          return (await recordCheckout(commits, text)).tip;
        });
        return await waiting;
      },
      async finish(spec) {
        return await inTurn(registry, async () => {
          const text = `Files at the end\n\n${runTrailer(spec.id)}`;
          const { uncommitted } = await recordCheckout(commits, text);
          const isPublished = await publishChanges(commits, commitText(spec));
          return describeEnd(files, { isPublished, uncommitted });
        });
      },
    };
  }

  return {
    claim: async (registry) => await takeFiles(commits, registry),
    createRecorder,
    deleteRefs: async () => await deleteFamilyRefs(commits),
  };
}

function describeEnd(
  { rootId, remote }: RecordedFiles,
  { isPublished, uncommitted }: { isPublished: boolean; uncommitted: readonly string[] },
): string | undefined {
  const branch = `Its changes are on the branch ${branchOf(rootId)} of ${remote}: \`cadre diff ${rootId}\`, \`cadre merge ${rootId}\`.`;
  const lost = `Not recorded, because they are separate git repositories: ${uncommitted.join(", ")}.`;
  const notes = [...(isPublished ? [branch] : []), ...(uncommitted.length > 0 ? [lost] : [])];
  return notes.length === 0 ? undefined : notes.join(" ");
}
