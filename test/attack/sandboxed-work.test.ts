import { readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createAttacker,
  attackerGit,
  hasSandbox,
  initRepository,
} from "../fixtures/attack/attacker.ts";
import { temporaryFolder } from "../fixtures/tool-call.ts";

describe.runIf(hasSandbox)("in the sandbox, ordinary work is possible:", () => {
  test("a new repository, commits, branches, merges, rebases, stashes", async () => {
    const attacker = createAttacker();
    writeFileSync(
      join(attacker.home, ".gitconfig"),
      '[user]\n\tname = The \\"U\\" User\n\temail = user@example.com\n[credential]\n\thelper = store --file hidden-key\n',
    );
    const { text, isError } = await attacker.run(
      `set -e
      git init -q -b main
      echo one > file; git add file; git commit -qm one
      git checkout -qb side; echo two > two; git add .; git commit -qm two
      git checkout -q main; echo three > three; git add .; git commit -qm three
      git merge -q --no-edit side
      git checkout -qb late HEAD~1; echo four > four; git add .; git commit -qm four; git rebase -q main
      echo five > file; git stash -q; git stash pop -q; git commit -qam five
      git tag v1; git worktree list; git status --short; git log --format='%an %s' | head -3
      git gc -q; git fsck; git config --global x.y z; env; git config --list`,
    );
    expect(isError, text).toBeUndefined();
    expect(text).toContain('The "U" User five');
    expect(text).not.toContain("hidden-key");
    const { text: next, isError: isBad } = await attacker.run(
      "git commit -q --allow-empty -m six; git log -1 --format=%s; git config x.y z; ls -A .git/hooks | head -1",
    );
    expect(next).toContain("six");
    expect(next).toMatch(/could not (?:write|lock) config|Device or resource busy/);
    expect(isBad).toBeUndefined();
  });

  test("a rebase that stops is continued by the next command", async () => {
    const attacker = createAttacker();
    initRepository(attacker);
    await attacker.run(
      "git config --global user.name A; git checkout -qb side; echo a > file; git -c user.name=A -c user.email=a@b commit -qam a; git checkout -q main; echo b > file; git -c user.name=A -c user.email=a@b commit -qam b; git checkout -q side; git -c user.name=A -c user.email=a@b rebase main",
    );
    const { text, isError } = await attacker.run(
      "echo c > file; git add file; GIT_EDITOR=true git -c user.name=A -c user.email=a@b rebase --continue; git log --format=%s",
    );
    expect(isError, text).toBeUndefined();
    expect(text).toMatch(/a\nb\none$/);
  });

  test("a repository around the workspace can be inspected", async () => {
    const attacker = createAttacker();
    initRepository(attacker);
    attacker.write("packages/a/file");
    const workspace = realpathSync(join(attacker.workspace, "packages/a"));
    const command = "git log --format=%s; git status --short; echo x > ../b";
    const { text } = await attacker.run(command, workspace);
    expect(text).toMatch(/^one\n\?\? \.\.\/\n.*Read-only file system/);
  });

  test("a worktree of a repository can be inspected", async () => {
    const attacker = createAttacker();
    initRepository(attacker);
    const root = temporaryFolder();
    attackerGit(attacker.workspace, "worktree", "add", "--quiet", join(root, "tree"));
    const workspace = join(root, "tree");
    const command = "git log --format=%s; echo x > new; git status --short";
    expect((await attacker.run(command, workspace)).text).toBe("one\n?? new");
    // The commands of the repository did not create the worktree's entry.
    expect((await attacker.run("git worktree list | wc -l")).text).toBe("2");
  });

  test("node, npm scripts, a virtual environment, caches", async () => {
    const attacker = createAttacker();
    attacker.write("package.json", JSON.stringify({ scripts: { hello: "node -p 6*7" } }));
    const { text, isError } = await attacker.run(
      `set -e
      npm run -s hello
      node -e 'require("child_process").fork("/dev/stdin").on("exit", c => console.log("fork", c))' < /dev/null
      mkdir -p ~/.cache/x; echo kept > ~/.cache/x/y; echo z > ~/.profile; echo t > /var/tmp/t; cat /tmp/t
      /usr/bin/python3 -m venv --without-pip venv; venv/bin/python -c 'import multiprocessing as m; print(m.get_context("fork").Pool(2).map(abs, [-1]))'`,
    );
    expect(isError, text).toBeUndefined();
    expect(text).toBe("42\nfork 0\nt\n[1]");
    expect((await attacker.run("cat ~/.cache/x/y; ls -A ~")).text).toMatch(/^kept\n/);
    expect(readdirSync(attacker.home)).not.toContain(".profile");
  });
});
