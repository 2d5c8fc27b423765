import type { FileRecorder } from "../../registry/file-recorder.ts";
import type { Registry } from "../../registry/registry.ts";
import { commitText } from "../../tool/git/commit-text.ts";
import { familyRefs } from "../../tool/git/remote/transfer.ts";
import {
  deleteFamilyRefs,
  type FamilyCommits,
  publishChanges,
  recordCheckout,
  takeFiles,
} from "./family-commits.ts";

/** The files of a family that this worker executes. */
export interface FamilyFiles {
  /** Brings the files to the last commit of the journal, and makes this worker the only one that may record files. */
  claim(registry: Registry): Promise<void>;
  /** Creates what records the files. A failure fails the registry. */
  createRecorder(registry: Pick<Registry, "fail">): FileRecorder;
  /** Deletes the refs of the family at the remote, except the branch with its changes. */
  deleteRefs(): Promise<void>;
}

/** Creates the files of one family from a checkout. */
export function createFamilyFiles(commits: FamilyCommits): FamilyFiles {
  const { files } = commits;
  let last: Promise<unknown> = Promise.resolve();

  /** Does one thing after the other. A failure ends the registry, so that the family goes on elsewhere. */
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
        // A record that has not begun will have these changes too.
        waiting ??= inTurn(registry, async () => {
          waiting = undefined;
          return await recordCheckout(commits, `Files after ${step}\n\nCadre-Run: ${runId}`);
        });
        return await waiting;
      },
      async finish(spec) {
        const isPublished = await inTurn(registry, async () => {
          await recordCheckout(commits, `Files at the end\n\nCadre-Run: ${spec.id}`);
          return await publishChanges(commits, commitText(spec));
        });
        if (!isPublished) return undefined;
        const branch = familyRefs(files.rootId).result.replace("refs/heads/", "");
        return `Its changes are on the branch ${branch} of ${files.remote}: \`cadre diff ${spec.id}\`, \`cadre merge ${spec.id}\`.`;
      },
    };
  }

  return {
    claim: async (registry) => await takeFiles(commits, registry),
    createRecorder,
    deleteRefs: async () => await deleteFamilyRefs(commits),
  };
}
