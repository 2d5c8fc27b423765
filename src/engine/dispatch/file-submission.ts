import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import { findSecrets, recordTree } from "../../tool/git/remote/record-tree.ts";
import { readRemote, type RemoteAddress } from "../../tool/git/remote/remote-address.ts";
import { familyRefs, listRefs, pushRefs } from "../../tool/git/remote/transfer.ts";
import { inRepository, type LinkedWorktree } from "../../tool/git/worktree-folder.ts";
import type { EngineParts } from "../engine.ts";

/** How files of new families reach the workers; see `DbosOptions`. */
export interface FilesOptions {
  workspace?: "same" | "git";
  pushSecrets?: boolean;
  onNote?: (line: string) => void;
}

/** Files that were recorded for one family. */
export interface FilesToPush {
  /** Pushes them, and records the push in the journal of the root run. */
  push(rootId: string): Promise<void>;
}

/** See {@link FileSubmission.record}. */
export interface RecordOptions {
  /** Whether an earlier submission of the same family may have pushed its files. Default false. */
  isAgain?: boolean;
}

/** Gives the files of new families to workers. */
export interface FileSubmission {
  /** How the files of new families reach workers. */
  readonly transfer: "same" | "git";
  /**
   * Records the files of the folder as they are now, for a push through git.
   *
   * @throws CadreError `tool-unavailable` without git, a repository, a commit or a remote that can be reached; `limit-exceeded`;
   * `invalid-argument` for files that seem to hold secrets.
   */
  record(options?: RecordOptions): Promise<FilesToPush>;
}

/** Creates the submission that the options and the configuration describe. */
export function createFileSubmission(
  { dispatch: { files }, registry }: Pick<EngineParts, "dispatch" | "registry">,
  options: FilesOptions,
): FileSubmission {
  const { folder, worker } = files;
  const { workspace = worker.workspace, pushSecrets = worker.pushSecrets } = options;
  const onNote = options.onNote ?? (() => undefined);

  async function record({ isAgain = false }: RecordOptions = {}): Promise<FilesToPush> {
    const remote = await readRemote(folder, worker.remote);
    const temporary = join(files.stateFolder, "worktrees", `submit-${randomUUID().slice(0, 8)}`);
    const worktree = { root: temporary, from: folder };
    const { root, commit, notes } = await inRepository(worktree, async (git, repository, own) => {
      // Reports a remote that cannot be reached before anything is stored.
      await listRefs(git, remote.url, ["HEAD"]);
      const message = "Files of a run, as they were when it was submitted";
      const made = await recordTree(git, repository, { folder: own, limits: worker, message });
      const secrets = await findSecrets(git, made.commit, {
        root: repository.folder,
        hidden: files.stateFolder,
      });
      if (!pushSecrets) refuseSecrets(secrets, remote);
      const warnings =
        secrets.length === 0 ? [] : [`Pushed despite their names: ${list(secrets)}.`];
      return { ...made, root: repository.folder, notes: [...made.notes, ...warnings] };
    });
    notes.forEach(onNote);
    return {
      async push(rootId) {
        await pushBase(worktree, { url: remote.url, rootId, commit, isAgain });
        registry.append(rootId, {
          type: "files-recorded",
          remote: remote.shared,
          commit,
          folder: root,
        });
        await registry.flushed();
      },
    };
  }

  return { transfer: workspace, record };
}

async function pushBase(
  worktree: Pick<LinkedWorktree, "root" | "from">,
  {
    url,
    rootId,
    commit,
    isAgain,
  }: { url: string; rootId: string; commit: string; isAgain: boolean },
): Promise<void> {
  const { base } = familyRefs(rootId);
  const isPushed = await inRepository(worktree, async (git) => {
    const from = isAgain ? (await listRefs(git, url, [base])).get(base) : undefined;
    return await pushRefs(git, url, [{ ref: base, from: from ?? null, to: commit }]);
  });
  if (isPushed) return;
  const message = `Expected no ${base} at the remote of ${worktree.from}; another program created it. Delete it, or start the run again.`;
  throw new CadreError("tool-unavailable", message);
}

function refuseSecrets(secrets: readonly string[], { shared }: RemoteAddress): void {
  if (secrets.length === 0) return;
  const message = `Expected no files with keys, tokens or passwords in a push to ${shared}; these names suggest secrets: ${list(secrets)}. Add them to .gitignore, or allow the push with --push-secrets or \`worker.pushSecrets\`.`;
  throw new CadreError("invalid-argument", message, { details: { files: [...secrets] } });
}

function list(files: readonly string[]): string {
  const more = files.length > 5 ? ` and ${files.length - 5} more` : "";
  return files.slice(0, 5).join(", ") + more;
}
