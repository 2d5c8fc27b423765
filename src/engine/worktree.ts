import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import { isTerminal, type RunSpec } from "../run/run.ts";
import { commandEnvironment } from "../tool/command-environment.ts";
import type { Session } from "./session.ts";

type Worktree = NonNullable<RunSpec["worktree"]>;

/** How long one command of git may take, in milliseconds; large trees take a while to be checked out. */
const gitMs = 300_000;

/** Worktrees are made one after another: git locks what they share. */
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
  if (steps.isRecorded(key)) {
    if (existsSync(root)) return;
    warnings.add(`The worktree ${root} was gone. It was made anew, without what was done in it.`);
  }
  signal.throwIfAborted();
  const made = making.then(() => make(worktree, id));
  making = made.catch(() => undefined);
  await watchdog.trustWhile(made);
  await mkdir(workspace, { recursive: true });
  await steps.do({ key, kind: "note" }, async () => ({ value: null }));
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
    const files = (await changedFiles(root)).length;
    const commits = await countCommits(worktree, id);
    if (files === 0 && commits === 0) return undefined;
    return `Its changes are in its worktree: ${where} (files not committed: ${files}, commits: ${commits}).`;
  } catch (error) {
    return `Its worktree was kept: ${where}. ${error instanceof Error ? error.message : ""}`;
  }
}

/** Removes what {@link describeWorktree} had nothing to say of. What goes wrong leaves a folder that nobody needs. */
export async function removeWorktree({ id, worktree }: RunSpec): Promise<void> {
  if (worktree === undefined || !existsSync(worktree.root)) return;
  const { root, from } = worktree;
  try {
    await git(from, ["worktree", "remove", "--force", root]);
    await git(from, ["branch", "--quiet", "-D", branchOf(id)]);
  } catch {
    // It is said nowhere: the result is recorded.
  }
}

async function make({ root, from }: Worktree, id: string): Promise<void> {
  // What a process left behind that was killed while it was made.
  await rm(root, { recursive: true, force: true });
  // Git would make it readable for everybody.
  await mkdir(dirname(root), { recursive: true, mode: 0o700 });
  await git(from, ["worktree", "prune"]);
  await git(from, ["worktree", "add", "--quiet", "--no-track", "-B", branchOf(id), root, "HEAD"]);
}

function branchOf(id: string): string {
  return `cadre/${id}`;
}

/**
 * Submodules are looked at from outside: git would execute what their configuration says, and whatever lies there was put there by
 * the run, because a new worktree has none of them.
 */
async function changedFiles(root: string): Promise<string[]> {
  const linesOf = (text: string): string[] => text.split("\0").filter((line) => line !== "");
  const status = await git(root, ["status", "--porcelain", "-z", "--ignore-submodules=all"]);
  const files = linesOf(await git(root, ["ls-files", "--stage", "-z"]));
  const submodules = files.flatMap((line) => /^160000 .*?\t(.*)$/s.exec(line)?.[1] ?? []);
  const contents = await Promise.all(
    submodules.map((path) => readdir(join(root, path)).catch(() => [])),
  );
  return [...linesOf(status), ...submodules.filter((_, index) => contents[index]?.length !== 0)];
}

/** The commits that nothing but the branch of the run has. */
async function countCommits({ root, from }: Worktree, id: string): Promise<number> {
  const head = (await git(from, ["rev-parse", "HEAD"])).trim();
  const others = ["--not", head, `--exclude=${branchOf(id)}`, "--branches", "--tags", "--remotes"];
  return Number(await git(root, ["rev-list", "--count", "HEAD", ...others]));
}

/** Executes git in `folder` without the hooks of the repository, and without a repository that the environment names. */
async function git(folder: string, words: readonly string[]): Promise<string> {
  const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
  const environment = commandEnvironment(process.env, { passed: [], temporary: "/tmp" });
  const options = { cwd: folder, env: environment, timeout: gitMs, maxBuffer: 64 << 20 };
  try {
    return (await promisify(execFile)("git", [...quiet, ...words], options)).stdout;
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const said = stderr.trim() || (error instanceof Error ? error.message : String(error));
    const message = `git ${words.slice(0, 2).join(" ")} failed in ${folder}: ${said}`;
    throw new CadreError("tool-unavailable", message, { cause: error });
  }
}
