import { CadreError } from "../../errors.ts";
import { type familyRefs, listRefs, type RefChange } from "../../tool/git/remote/transfer.ts";
import type { Git } from "../../tool/git/run-git.ts";
import type { RecordedFiles } from "../../registry/recorded-files.ts";

/** Options of {@link findTip}. */
export interface FindTipOptions {
  files: RecordedFiles;
  refs: ReturnType<typeof familyRefs>;
  /** The fetched commit of the work ref; `null` = the ref does not exist. */
  found: string | null;
  /** The commits that the journals name. */
  recorded: ReadonlySet<string>;
}

/**
 * Returns the last commit of the work ref that a journal names: the files of the last recorded effect. Later commits belong to effects that
 * no journal contains, because the worker was killed before it recorded them.
 *
 * @throws CadreError `tool-unavailable` when the ref lacks one of these commits: another program changed or deleted it.
 */
export async function findTip(
  git: Git,
  { files, refs, found, recorded }: FindTipOptions,
): Promise<string> {
  const { commit, remote } = files;
  if (found === null && recorded.size === 1) return commit;
  const listed = found === null ? "" : await git(["rev-list", "--first-parent", found]);
  const history = new Set(listed.split("\n"));
  const tip = [...history].find((line) => recorded.has(line));
  if (tip !== undefined && [...recorded].every((one) => history.has(one))) return tip;
  const what = found === null ? "it does not exist" : `it names ${found}`;
  const message = `Expected ${refs.work} at ${remote} to have the commits that the journal names; ${what}, so another program changed it. Restore the ref, or end the run with \`cadre cancel\`.`;
  throw new CadreError("tool-unavailable", message);
}

/** Describes a ref that does not name this worker's last commit. */
export async function describeMoved(
  git: Git,
  url: string,
  { ref, from }: RefChange,
): Promise<CadreError> {
  const found = (await listRefs(git, url, [ref])).get(ref);
  const expected = from === null ? "to be absent" : `to name ${from}`;
  const what = found === undefined ? "it does not exist" : `it names ${found}`;
  const message = `Expected ${ref} at the remote ${expected}; ${what}, because another worker or program changed it.`;
  return new CadreError("tool-unavailable", message);
}
