import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { CadreError } from "../../../errors.ts";
import { isInside } from "../../../source/file/real-path.ts";
import { namesSecret } from "../../path/secret-name.ts";
import { identity, readNames, snapshot } from "../commit-changes.ts";
import { findFilters } from "../find-filters.ts";
import type { Repository } from "../open-repository.ts";
import { type Git, type GitFolders, splitNul } from "../run-git.ts";

/** The limits on uncommitted files in a recorded tree. */
export interface TreeLimits {
  maxFiles: number;
  maxMegabytes: number;
}

/** A working tree that was recorded as a commit. */
export interface RecordedTree {
  /** The commit: HEAD itself when nothing differs from it. */
  commit: string;
  /** Notes on files that it lacks or holds in another form, one sentence each. */
  notes: readonly string[];
}

/**
 * Records the working tree of a repository as a commit on its HEAD: committed, staged, changed and untracked files, but not
 * ignored ones. Changes neither HEAD, nor the index, nor any file. `folder` is git's temporary folder.
 *
 * @throws CadreError `limit-exceeded` when the uncommitted files exceed `limits`; `tool-unavailable` for a repository without a
 * commit.
 */
export async function recordTree(
  git: Git,
  { folder: root, gitFolder }: Repository,
  { folder, limits, message }: { folder: string; limits: TreeLimits; message: string },
): Promise<RecordedTree> {
  const folders = { gitFolder, worktree: root };
  const { commit: head, tree: treeOfHead } = await readHead(git, root);
  const notes: string[] = [];
  const tree = await snapshot(git, folders, folder, async ({ written, uncommitted }) => {
    await checkSize(root, written, limits);
    if (uncommitted.length > 0) {
      notes.push(`Other git repositories are left out: ${uncommitted.join(", ")}.`);
    }
  });
  notes.push(...(await describeFilters(git, folders)));
  if (tree === treeOfHead) return { commit: head, notes };
  const variables = identity("cadre", "cadre@cadre.invalid");
  const words = ["commit-tree", tree, "-p", head, "-m", message];
  return { commit: (await git(words, { variables })).trim(), notes };
}

async function readHead(git: Git, root: string): Promise<{ commit: string; tree: string }> {
  try {
    const [commit = "", tree = ""] = await readNames(git, ["HEAD^{commit}", "HEAD^{tree}"]);
    return { commit, tree };
  } catch (error) {
    const message = `Expected the git repository ${root} to have a commit; it has none. Create the first one with \`git commit\`.`;
    throw new CadreError("tool-unavailable", message, { cause: error });
  }
}

async function checkSize(
  root: string,
  files: readonly string[],
  { maxFiles, maxMegabytes }: TreeLimits,
): Promise<void> {
  if (files.length > maxFiles) {
    const message = `Expected at most ${maxFiles} files that are not committed (\`worker.maxFiles\`); ${root} has ${files.length}. Commit them, or add what workers do not need to .gitignore.`;
    throw new CadreError("limit-exceeded", message, { details: { files: files.length } });
  }
  let bytes = 0;
  for (const file of files) bytes += (await lstat(join(root, file))).size;
  if (bytes <= maxMegabytes * 1e6) return;
  const message = `Expected at most ${maxMegabytes} MB in files that are not committed (\`worker.maxMegabytes\`); ${root} has ${Math.ceil(bytes / 1e6)} MB. Commit them, or add what workers do not need to .gitignore.`;
  throw new CadreError("limit-exceeded", message, { details: { bytes } });
}

async function describeFilters(git: Git, folders: GitFolders): Promise<string[]> {
  const files = splitNul(await git(["ls-files", "-z"], folders));
  const filters = await findFilters(git, folders, files);
  return filters.map(
    ({ name, files: [first = ""] }) =>
      `Cadre executes no git filters: workers get files such as ${first} as the filter "${name}" stores them.`,
  );
}

/**
 * Returns the files that seem to contain secrets and that a push of `commit` would publish, because no remote-tracking branch has
 * them. Files in the private folder `hidden` (absolute) are among them.
 */
export async function findSecrets(
  git: Git,
  commit: string,
  { root, hidden }: { root: string; hidden: string },
): Promise<string[]> {
  const onlyFiles = ["--objects", "--filter=object:type=blob"];
  const listed = await git(["rev-list", ...onlyFiles, commit, "--not", "--remotes"]);
  const paths = listed.split("\n").map((line) => line.slice(line.indexOf(" ") + 1));
  const isSecret = (path: string): boolean =>
    namesSecret(path) || isInside(join(root, path), hidden);
  return [...new Set(paths.filter((path) => path !== "" && isSecret(path)))].toSorted();
}
