import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readTextFile } from "../../source/file/text-file.ts";

/** Describes the environment of an agent for its system prompt. */
export async function describeEnvironment(workspace: string, now: Date): Promise<string> {
  const branch = await currentBranch(workspace, now.getTime());
  return [
    "# Environment",
    `- Working directory: ${workspace}`,
    `- Platform: ${process.platform}`,
    `- Date: ${now.toISOString().slice(0, 10)}`,
    ...(branch === undefined ? [] : [`- Git branch: ${branch}`]),
  ].join("\n");
}

/** How long a branch is cached, in milliseconds, so that a fan-out reads it once. */
const branchMs = 2000;
const branches = new Map<string, { since: number; branch: Promise<string | undefined> }>();

function currentBranch(folder: string, now: number): Promise<string | undefined> {
  const known = branches.get(folder);
  if (known !== undefined && now - known.since < branchMs) return known.branch;
  const branch = gitBranch(folder);
  branches.set(folder, { since: now, branch });
  return branch;
}

/** The branch checked out at `folder` or above, read without starting a process. */
async function gitBranch(folder: string): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    const head = await readHead(join(place, ".git"));
    if (head !== undefined) return branchOf(head);
    if (dirname(place) === place) return undefined;
  }
}

/** Returns only a valid branch name, because the folder is untrusted and the name enters a system prompt. */
function branchOf(head: string): string {
  return /^ref: refs\/heads\/([^\s~^:?*[\\\p{Cc}]{1,200})$/mu.exec(head)?.[1] ?? "(detached)";
}

async function readHead(git: string): Promise<string | undefined> {
  try {
    if ((await stat(git)).isDirectory()) return await readText(join(git, "HEAD"));
    // In a linked worktree `.git` is a file that says where the real folder is.
    const link = /^gitdir: (.+)$/m.exec((await readText(git)) ?? "")?.[1];
    if (link === undefined) return undefined;
    return await readText(join(resolve(dirname(git), link), "HEAD"));
  } catch {
    return undefined;
  }
}

async function readText(path: string): Promise<string | undefined> {
  return (await readTextFile(path)).text ?? undefined;
}
