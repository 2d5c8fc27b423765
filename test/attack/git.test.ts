import { gitIn } from "../fixtures/git/git-in.ts";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunResult } from "../../src/index.ts";
import { type ServerReply, type ServerTurn, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";

/** A repository that an attacker prepared. */
interface Prey {
  project: ModelProject;
  /** A command that leaves a trace. Every trap executes it. */
  trap: string;
  /** Reports whether anything was executed since the last call. */
  isSprung(): boolean;
  git(...words: readonly string[]): string;
  /** Writes a file of the project; with a mode if the file is executable. */
  put(path: string, text: string, mode?: number): void;
  /** Lets the agent `editor`, which has its own worktree, write one file. Then reads and merges the change. */
  work(): Promise<RunResult>;
}

function edit({ turn }: ServerTurn): ServerReply {
  if (turn === 0) return [{ tool: "Write", input: { file_path: "note.txt", content: "n" } }];
  return "done";
}

/** Creates a repository with two commits, so that the second can contain a trap. */
async function prepare(lay?: (prey: Prey) => void): Promise<Prey> {
  const project = createModelProject(await startModelServer(edit));
  const mark = join(project.folder, "../sprung");
  const trap = join(project.folder, "../trap.sh");
  const git = gitIn(project.folder);
  const put = (path: string, text: string, mode = 0o644): void => {
    const file = join(project.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
  };
  const prey: Prey = {
    project,
    trap,
    git,
    put,
    isSprung() {
      const isThere = existsSync(mark);
      rmSync(mark, { force: true });
      return isThere;
    },
    async work() {
      const cadre = await project.open({ trust: true });
      const result = await cadre.run({ agent: "editor", task: "work" });
      // Git may refuse them, but must not execute anything.
      const id = result.runId;
      await Promise.allSettled([cadre.changes.read(id), cadre.changes.merge([id])]);
      return result;
    },
  };
  writeFileSync(trap, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
  git("init", "--quiet", "--initial-branch", "trunk");
  put("code.txt", "one\n");
  git("add", "code.txt");
  git("commit", "--quiet", "--message", "first");
  project.writeAgent("editor", { isolation: "worktree", tools: ["Write"] });
  lay?.(prey);
  return prey;
}

/** Commits attributes that give every file the filter `trap`. */
function useFilter({ put, git }: Prey): void {
  put(".gitattributes", "* filter=trap diff=trap merge=trap\n");
  git("add", ".gitattributes");
  git("commit", "--quiet", "--message", "attributes");
}

const drivers = (trap: string): string => `[filter "trap"]
  smudge = ${trap}
  clean = ${trap}
[diff "trap"]
  command = ${trap}
  textconv = ${trap}
[merge "trap"]
  driver = ${trap}
`;

/** Traps that git executes when it creates or inspects a worktree. */
const traps: Record<string, (prey: Prey) => void> = {
  "a filter in .git/config, for files that .gitattributes names"(prey) {
    useFilter(prey);
    prey.put(
      ".git/config",
      readFileSync(join(prey.project.folder, ".git/config"), "utf8") + drivers(prey.trap),
    );
  },
  "a filter that .git/info/attributes gives to files"(prey) {
    prey.put(".git/info/attributes", "* filter=trap\n");
    prey.git("config", "filter.trap.smudge", prey.trap);
  },
  "a filter that is a process"(prey) {
    useFilter(prey);
    prey.git("config", "filter.trap.process", prey.trap);
    prey.git("config", "filter.trap.required", "true");
  },
  "a filter in a file that .git/config includes"(prey) {
    useFilter(prey);
    prey.put("included", drivers(prey.trap));
    prey.git("config", "include.path", "../included");
  },
  "a filter in a file that .git/config includes on a condition"(prey) {
    useFilter(prey);
    prey.put("included", drivers(prey.trap));
    prey.git("config", "includeIf.gitdir:**.path", join(prey.project.folder, "included"));
  },
  "a file system monitor"(prey) {
    prey.git("config", "core.fsmonitor", prey.trap);
  },
  "hooks in .git/hooks"(prey) {
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
      prey.put(`.git/hooks/${hook}`, `#!/bin/sh\n${prey.trap}\n`, 0o755);
    }
  },
  "hooks in a folder of the project"(prey) {
    prey.put("hooks/post-checkout", `#!/bin/sh\n${prey.trap}\n`, 0o755);
    prey.git("config", "core.hooksPath", join(prey.project.folder, "hooks"));
  },
};

/** Traps that git executes at other times: on a fetch, on a commit, in an editor, in a submodule. */
const otherTraps: Record<string, (prey: Prey) => void> = {
  "a filter in config.worktree"(prey) {
    useFilter(prey);
    prey.git("config", "extensions.worktreeConfig", "true");
    prey.put(".git/config.worktree", drivers(prey.trap));
  },
  "every other setting that names a program"({ git, trap }) {
    const names = ["pager", "editor", "askPass", "sshCommand", "gitProxy", "alternateRefsCommand"];
    for (const name of names) git("config", `core.${name}`, trap);
    const others = [
      "sequence.editor",
      "credential.helper",
      "gpg.program",
      "diff.external",
      "interactive.diffFilter",
      "uploadpack.packObjectsHook",
      "alias.status",
      "alias.read-tree",
      "pager.status",
    ];
    for (const name of others) git("config", name, `!${trap}`);
  },
  "a submodule whose update is a command"(prey) {
    const head = prey.git("rev-parse", "HEAD").trim();
    prey.put(".gitmodules", `[submodule "sub"]\n  path = sub\n  url = ./x\n`);
    prey.git("config", "submodule.sub.update", `!${prey.trap}`);
    prey.git("config", "submodule.sub.url", "./x");
    prey.git("config", "submodule.recurse", "true");
    prey.git("add", ".gitmodules");
    prey.git("update-index", "--add", "--cacheinfo", `160000,${head},sub`);
    prey.git("commit", "--quiet", "--message", "a submodule");
    mkdirSync(join(prey.project.folder, ".git/modules/sub"), { recursive: true });
    prey.put(".git/modules/sub/config", `[core]\n  fsmonitor = ${prey.trap}\n`);
  },
  "a working tree elsewhere"({ git, project, put, trap }) {
    put("elsewhere/.gitattributes", "* filter=trap\n");
    git("config", "core.worktree", join(project.folder, "elsewhere"));
    git("config", "core.fsmonitor", trap);
  },
};

/** Missing objects of a commit must not be fetched from an address or with a command that the repository names. */
function loseContent({ git, put, project, trap }: Prey): void {
  const content = git("rev-parse", "HEAD:code.txt").trim();
  rmSync(join(project.folder, ".git/objects", content.slice(0, 2), content.slice(2)));
  git("config", "core.repositoryFormatVersion", "1");
  git("config", "extensions.partialClone", "origin");
  git("config", "remote.origin.url", project.folder);
  git("config", "remote.origin.promisor", "true");
  git("config", "remote.origin.uploadpack", trap);
  put(".git/objects/pack/x.promisor", "");
}

const settled = "(commits: 1)";

describe("creating, committing, inspecting and merging a worktree of a run executes nothing", () => {
  test.for(Object.keys(traps))("of %s", async (name) => {
    const prey = await prepare(traps[name]);
    // The trap works.
    const probe = join(prey.project.folder, "../probe");
    try {
      prey.git("worktree", "add", "--quiet", probe);
      prey.git("-C", probe, "status");
    } catch {
      // A trap need not behave as git expects.
    }
    expect(prey.isSprung()).toBe(true);
    const { warnings } = await prey.work();
    expect(warnings.join()).toContain(settled);
    expect(prey.isSprung()).toBe(false);
  });

  test.for(Object.keys(otherTraps))("of %s", async (name) => {
    const prey = await prepare(otherTraps[name]);
    prey.isSprung();
    const { warnings } = await prey.work();
    expect(warnings.join()).toContain(settled);
    expect(prey.isSprung()).toBe(false);
  });

  test("of a remote that has missing objects", async () => {
    const prey = await prepare(loseContent);
    prey.isSprung();
    expect((await prey.work()).failure).toMatchObject({ code: "tool-unavailable" });
    expect(prey.isSprung()).toBe(false);
  });

  test("of variables of its own process", async () => {
    const prey = await prepare(useFilter);
    const variables = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "filter.trap.smudge",
      GIT_CONFIG_VALUE_0: prey.trap,
      GIT_CONFIG_PARAMETERS: `'filter.trap.clean'='${prey.trap}'`,
      GIT_EXTERNAL_DIFF: prey.trap,
      GIT_DIR: "/nowhere",
    };
    Object.assign(process.env, variables);
    onTestFinished(() => {
      for (const name of Object.keys(variables)) delete process.env[name];
    });
    const { warnings } = await prey.work();
    expect(warnings.join()).toContain(settled);
    expect(prey.isSprung()).toBe(false);
  });

  test("of what its own run changed in the repository", async () => {
    const prey = await prepare(useFilter);
    prey.git("config", "filter.trap.required", "true");
    const cadre = await prey.project.open({ trust: true });
    const handle = await cadre.spawn({ agent: "editor", task: "work" });
    let steps = 0;
    for await (const event of handle.events()) {
      // Between the beginning of the run and its end.
      if (event.type !== "step-finished") continue;
      steps += 1;
      prey.git("config", "filter.trap.clean", prey.trap);
    }
    expect(steps).toBeGreaterThan(0);
    expect((await handle.result()).warnings.join()).toContain(settled);
    expect(prey.isSprung()).toBe(false);
  });
});

test("files that a filter would have changed are named", async () => {
  const { work, git, trap } = await prepare(useFilter);
  git("config", "filter.trap.smudge", trap);
  const { warnings } = await work();
  expect(warnings).toContain(
    'In its worktree .gitattributes and 1 more did not go through the git filter "trap", because Cadre executes no filters: the content is as git stores it.',
  );
});

describe("a repository that refers to another one is refused", () => {
  /** Creates another repository, with a filter. */
  function makeOther({ project, git, trap }: Prey): string {
    const other = join(project.folder, "../other");
    git("clone", "--quiet", ".", other);
    git("-C", other, "config", "filter.trap.smudge", trap);
    return join(other, ".git");
  }

  const redirections: Record<string, (prey: Prey, other: string) => void> = {
    ".git/commondir": ({ put }, other) => put(".git/commondir", other),
    "objects/info/alternates": ({ put }, other) => {
      put(".git/objects/info/alternates", `${other}/objects\n`);
    },
    ".git/refs": ({ project }, other) => {
      rmSync(join(project.folder, ".git/refs"), { recursive: true });
      symlinkSync(join(other, "refs"), join(project.folder, ".git/refs"));
    },
    ".git leads": ({ project, put }, other) => {
      rmSync(join(project.folder, ".git"), { recursive: true });
      put(".git", `gitdir: ${other}\n`);
    },
    "/.git leads": ({ project }, other) => {
      rmSync(join(project.folder, ".git"), { recursive: true });
      symlinkSync(other, join(project.folder, ".git"));
    },
    "work/.git leads": ({ project, put }, other) => {
      // A worktree of the other repository, at another path.
      execFileSync("git", ["worktree", "add", "--quiet", "../third"], { cwd: dirname(other) });
      rmSync(join(project.folder, ".git"), { recursive: true });
      put(".git", `gitdir: ${other}/worktrees/third\n`);
    },
  };

  test.for(Object.keys(redirections))("by %s", async (name) => {
    const prey = await prepare(useFilter);
    redirections[name]?.(prey, makeOther(prey));
    prey.isSprung();
    const { failure } = await prey.work();
    expect(failure).toMatchObject({
      code: "tool-unavailable",
      message: expect.stringContaining("only when all of it is in one place"),
    });
    expect(failure?.message).toContain(name);
    expect(prey.isSprung()).toBe(false);
  });

  test("because its format is unknown", async () => {
    const { work, git } = await prepare();
    git("config", "extensions.refStorage", "reftable");
    expect((await work()).failure?.message).toContain(
      "does not know the extension extensions.refstorage = reftable",
    );
  });
});
