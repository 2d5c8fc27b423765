// Git: runs git on repositories without executing anything that they configure.

import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { dirname, join, parse } from "node:path";
import { isInside } from "../../source/file/real-path.ts";
import { commandEnvironment } from "../process/command-environment.ts";
import { toGitError } from "./git-failure.ts";
import type { Repository } from "./open-repository.ts";
import { readRepositoryFormat } from "./repository-format.ts";
import { type GitEnd, spawnGit } from "./spawn-git.ts";

/** Executes git on a repository and resolves with its standard output. */
export type Git = (words: readonly string[], options?: GitOptions) => Promise<string>;

/** The repository and working tree of a git command. */
export interface GitFolders {
  /** The folder of HEAD and the index; absolute. */
  gitFolder: string;
  /** The root of the working tree; absolute. */
  worktree: string;
}

/** Options of a git command. Without a place, it applies to the repository's own HEAD and index, without a working tree. */
export interface GitOptions extends Partial<GitFolders> {
  /** Standard input. Default: empty. */
  input?: string;
  /** Variables for this command, such as the index file or the author of a commit. Default: none. */
  variables?: Readonly<Record<`GIT_${string}`, string>>;
  /** An exit code other than 0 that is a result, such as 1 for conflicts. Default: none. */
  resultCode?: number;
  /** The command reaches another repository, with the user's keys and git configuration. Default false. */
  isRemote?: boolean;
}

/**
 * Runs `work` with a git that ignores everything the repository configures.
 *
 * Git takes configuration, hooks and attributes from the common folder. So `withGit` gives it another one: `folder` has a
 * configuration of {@link readRepositoryFormat} only, no hooks, and links to the repository's objects and references. Git sees nothing else.
 * The configuration of the machine and of the user, and the variables of this process, are left out as well. `folder` is removed
 * at the end.
 *
 * @param folder Absolute; a path that agents cannot write. Existing content is deleted.
 *
 * @throws CadreError `tool-unavailable` with git's error output, and for a repository in an unknown format.
 */
export async function withGit<Value>(
  repository: Repository,
  folder: string,
  work: (git: Git) => Promise<Value>,
): Promise<Value> {
  try {
    await makeCommonFolder(repository, folder);
    const own = { GIT_COMMON_DIR: folder };
    return await work(async (words, options = {}) => {
      const { gitFolder = repository.gitFolder, worktree, variables } = options;
      const tree = worktree === undefined ? {} : { GIT_WORK_TREE: worktree };
      const environment = { ...own, ...tree, GIT_DIR: gitFolder, ...variables };
      const { input = "", resultCode, isRemote = false } = options;
      const all = isRemote ? [...remoteWords, ...words] : words;
      const execution = { folder, environment, input, resultCode, isRemote, of: repository };
      return await execute(all, execution);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeCommonFolder(repository: Repository, folder: string): Promise<void> {
  const { commonFolder } = repository;
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "info"), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "config"), await formatOf(repository, folder));
  // `info/attributes` may name drivers, but no configuration defines them here. Some of these files may not exist.
  const names = ["objects", "refs", "packed-refs", "shallow", "info/exclude", "info/attributes"];
  for (const name of names) await symlink(join(commonFolder, name), join(folder, name));
}

/** Returns the format settings of the repository as a configuration of git. */
async function formatOf(repository: Repository, folder: string): Promise<string> {
  return await readRepositoryFormat(repository, async (input) => {
    const words = ["config", "--file", "-", "--no-includes", "--null", "--list"];
    // There is no repository at GIT_DIR yet, so git reads its input only.
    const environment = { GIT_DIR: folder };
    return await execute(words, { folder, environment, input, of: repository });
  });
}

/**
 * Reads one value of a configuration file, without what the file includes; `undefined` without a file or value.
 *
 * @throws CadreError `tool-unavailable` without git.
 */
export async function readGitSetting(file: string, key: string): Promise<string | undefined> {
  const folder = dirname(file);
  const words = ["config", "--file", file, "--no-includes", "--get", key];
  // With this variable, git looks for no repository.
  const env = { ...gitEnvironment(folder), GIT_DIR: devNull };
  // The folder may be missing.
  const execution = { cwd: parse(folder).root, env, input: "", isDetached: false };
  const { stdout } = await begin(words, execution, folder);
  return stdout.trim() || undefined;
}

interface Execution {
  folder: string;
  environment: Readonly<Record<string, string>>;
  input: string;
  resultCode?: number | undefined;
  isRemote?: boolean;
  of: Repository;
}

async function execute(words: readonly string[], execution: Execution): Promise<string> {
  const { folder, environment, input, resultCode, isRemote = false, of } = execution;
  const tree = environment["GIT_WORK_TREE"];
  const isWithin = tree !== undefined && isInside(folder, tree);
  const { code, stdout, stderr } = await begin(
    words,
    {
      // On Windows, programs are looked up here first. In a working tree, git would take paths as relative to the folder.
      cwd: isWithin ? parse(folder).root : folder,
      env: { ...(isRemote ? remoteEnvironment(folder) : gitEnvironment(folder)), ...environment },
      input,
      isDetached: isRemote,
    },
    of.folder,
  );
  if (code === 0 || (code !== null && code === resultCode)) return stdout;
  throw toGitError(nameFailed(words, of.folder), stderr);
}

/** Executes git to its end. @throws CadreError when it cannot be executed. */
async function begin(
  words: readonly string[],
  execution: Parameters<typeof spawnGit>[1],
  folder: string,
): Promise<GitEnd> {
  try {
    return await spawnGit(words, execution);
  } catch (error) {
    throw toGitError(nameFailed(words, folder), "", error);
  }
}

/** Returns git's variables. From this process it gets only the paths of programs and of the home folder. */
function gitEnvironment(folder: string): Record<string, string> {
  return {
    ...commandEnvironment(process.env, { passed: ["SYSTEMROOT"], temporary: dirname(folder) }),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    LC_ALL: "C",
  };
}

/**
 * Options that keep a command which reaches another repository from executing hooks, monitors, garbage collection and submodules.
 */
const remoteWords: readonly string[] = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
].flatMap((setting) => ["-c", setting]);

/** The variables of this process with which git reaches other repositories: keys, proxies and certificates. */
const remoteVariables: readonly string[] = [
  "SYSTEMROOT",
  "XDG_CONFIG_HOME",
  "SSH_AUTH_SOCK",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_ASKPASS",
  "GIT_CONFIG_GLOBAL",
  "GIT_SSL_CAINFO",
  "SSL_CERT_FILE",
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [
    name,
    name.toUpperCase(),
  ]),
];

/** Returns git's variables when it reaches another repository. They include the user's configuration, which has the credentials. */
function remoteEnvironment(folder: string): Record<string, string> {
  return {
    ...commandEnvironment(process.env, { passed: remoteVariables, temporary: dirname(folder) }),
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "file:http:https:ssh",
    GIT_TERMINAL_PROMPT: "0",
    // Ends a transfer when the server sends nothing for a minute.
    GIT_HTTP_LOW_SPEED_LIMIT: "1",
    GIT_HTTP_LOW_SPEED_TIME: "60",
    LC_ALL: "C",
  };
}

function nameFailed(words: readonly string[], folder: string): string {
  const name = words.find((_, index) => words[index] !== "-c" && words[index - 1] !== "-c");
  return `git ${name ?? ""} failed in ${folder}`;
}

/** Splits a list whose items git ends with NUL characters. */
export function splitNul(text: string): string[] {
  return text.split("\0").filter((one) => one !== "");
}
