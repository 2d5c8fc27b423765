import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** What an agent should know about where it works, as text for its system prompt. */
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

/** How long a branch is remembered, in milliseconds: a fan-out asks once. */
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
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? "(detached)";
    if (dirname(place) === place) return undefined;
  }
}

async function readHead(git: string): Promise<string | undefined> {
  try {
    if ((await stat(git)).isDirectory()) return await readFile(join(git, "HEAD"), "utf8");
    // In a linked worktree `.git` is a file that says where the real folder is.
    const link = /^gitdir: (.+)$/m.exec(await readFile(git, "utf8"))?.[1];
    if (link === undefined) return undefined;
    return await readFile(join(resolve(dirname(git), link), "HEAD"), "utf8");
  } catch {
    return undefined;
  }
}
