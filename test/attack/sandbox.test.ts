import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBashTool } from "../../src/tool/bash.ts";
import { findSandboxProblem } from "../../src/tool/sandbox/sandbox.ts";
import type { SandboxOptions } from "../../src/tool/sandbox/sandbox-options.ts";
import type { ToolOutcome } from "../../src/tool/tool.ts";
import { createWriteTool } from "../../src/tool/write.ts";
import { createToolPlace, temporaryFolder, type ToolPlace } from "../fixtures/tool-call.ts";

const hasSandbox = (await findSandboxProblem()) === null;
const modes: NonNullable<SandboxOptions["mode"]>[] = hasSandbox ? ["required", "off"] : ["off"];

interface Attacker extends ToolPlace {
  home: string;
  /** Writes a file of the workspace, as the user. */
  write(path: string, text?: string): void;
  read(path: string): string;
  /** Has the agent run a command. */
  run(command: string): Promise<ToolOutcome>;
}

function createAttacker(options: SandboxOptions = {}, deny: readonly string[] = []): Attacker {
  const place = createToolPlace();
  const home = temporaryFolder();
  const { workspace, context } = place;
  const policy = { mode: "auto" as const, rules: { allow: [], ask: [], deny } };
  Object.assign(context.caller.spec, { policies: [policy] });
  const environment = { PATH: process.env["PATH"], HOME: home };
  const bash = createBashTool({ home, environment, sandbox: { mode: "required", ...options } });
  return {
    ...place,
    home,
    write(path, text = "the user's") {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    },
    read: (path) => readFileSync(join(workspace, path), "utf8"),
    run: async (command) => await place.call(bash, { command }),
  };
}

/** Everything below a folder, as `path` or `path/`. */
function listAll(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function git(folder: string, ...words: string[]): string {
  const identity = ["-c", "user.name=User", "-c", "user.email=user@example.com"];
  return execFileSync("git", [...identity, ...words], { cwd: folder, encoding: "utf8" });
}

/** A repository with one commit. */
function initRepository({ workspace, write }: Attacker): void {
  git(workspace, "init", "--quiet", "--initial-branch=main");
  write("file", "one\n");
  git(workspace, "add", "file");
  git(workspace, "commit", "--quiet", "--message=one");
}

describe.each(modes)("with sandbox %s, a command does not keep", (mode) => {
  test.each([
    [".cadre/config.yaml", "mkdir .cadre; echo x > .cadre/config.yaml"],
    [".cadre/agents/main.md", "mkdir -p .cadre/agents; echo x > .cadre/agents/main.md"],
    [".cadre/agents/x.mjs", "mkdir -p .cadre/agents; echo x > .cadre/agents/x.mjs"],
    [".agents/recipes/x.yaml", "mkdir -p .agents/recipes; echo x > .agents/recipes/x.yaml"],
    [".claude/settings.json", "mkdir .claude; echo x > .claude/settings.json"],
    [".github/agents/a.agent.md", "mkdir -p .github/agents; echo x > .github/agents/a.agent.md"],
    [".mcp.json", "echo x > .mcp.json"],
    [".envrc", "echo x > .envrc"],
    [".vscode/tasks.json", "mkdir .vscode; echo x > .vscode/tasks.json"],
    [
      "deep/below/.vscode/tasks.json",
      "mkdir -p deep/below/.vscode; echo x > deep/below/.vscode/tasks.json",
    ],
    ["a folder that was prepared", "mkdir -p a/agents; echo x > a/agents/m.md; mv a .cadre"],
    ["a folder around one that was prepared", "mkdir -p a/b; mv a/b a/.cadre; mv a c"],
    ["a symlink to one", "mkdir x; ln -s x .cadre"],
    ["a symlink that nothing is behind yet", "ln -s nowhere .claude"],
    ["a hard link to one", "mkdir x; echo x > x/y; ln x/y .mcp.json"],
    [
      "one in other letters",
      "mkdir .CADRE .Vscode; echo x > .CADRE/config.yaml; echo x > .Vscode/tasks.json",
    ],
    ["one without content", "mkdir -p sub/.cadre"],
    [".git/hooks/post-checkout", "mkdir -p .git/hooks; echo x > .git/hooks/post-checkout"],
    [".git/commondir", "mkdir -p .git; echo ../x > .git/commondir"],
    [".git/config.worktree", "mkdir -p .git; echo x > .git/config.worktree"],
    [".git/info/attributes", "mkdir -p .git/info; echo x > .git/info/attributes"],
    [
      ".git/objects/info/alternates",
      "mkdir -p .git/objects/info; echo x > .git/objects/info/alternates",
    ],
    [
      ".git/modules/a/b/config",
      "mkdir -p .git/modules/a/b; cd .git/modules/a/b; echo x > HEAD; echo x > config",
    ],
    [".git/worktrees/a/gitdir", "mkdir -p .git/worktrees/a; echo x > .git/worktrees/a/gitdir"],
    [
      "a harmful configuration of a new repository",
      "git init -q sub; git -C sub config core.fsmonitor ./x",
    ],
    ["a hook of a new repository", "git init -q sub; echo x > sub/.git/hooks/pre-commit"],
    [
      "a bare repository with a harmful configuration",
      "git init -q --bare sub; git -C sub config core.fsmonitor ./x",
    ],
    ["`.git` as a file", "mkdir sub; echo 'gitdir: ../x' > sub/.git"],
    ["a log of git that leads elsewhere", "mkdir -p .git/logs; ln -s /etc/passwd .git/logs/HEAD"],
    [
      "a step of a rebase that executes",
      "mkdir -p .git/rebase-merge; echo 'exec x' > .git/rebase-merge/git-rebase-todo",
    ],
  ])("%s", async (_, command) => {
    const attacker = createAttacker({ mode });
    attacker.write("src/file");
    const { text, isError } = await attacker.run(command);
    expect(text).toContain("were undone");
    expect(text).toContain(join(attacker.outputFolder, "quarantine"));
    expect(isError).toBe(true);
    const again = await attacker.run("true");
    expect(again.text).toBe("(no output)");
    expect(existsSync(join(attacker.outputFolder, "quarantine"))).toBe(true);
  });

  test("a change of a control file that was there, also in a folder below", async () => {
    const attacker = createAttacker({ mode });
    attacker.write(".cadre/config.yaml");
    attacker.write("deep/.claude/settings.json");
    attacker.write("deep/.claude/agents/a.md");
    symlinkSync("../shared", join(attacker.workspace, "deep/.claude/skills"));
    attacker.write("deep/shared/s/SKILL.md");
    const before = listAll(attacker.workspace);
    await attacker.run(
      "echo x > .cadre/config.yaml; rm -rf deep/.claude/agents; echo x > deep/.claude/agents/b.md; mv deep away; rm -rf .cadre; echo x >> deep/.claude/settings.json; ln -f deep/.claude/settings.json other; echo x > deep/shared/s/SKILL.md; mkdir deep/shared/t; echo x > deep/shared/t/SKILL.md; true",
    );
    const after = listAll(attacker.workspace).filter((path) => !/^(?:other|away)/.test(path));
    expect(after).toEqual(before);
    for (const path of [
      ".cadre/config.yaml",
      "deep/.claude/settings.json",
      "deep/.claude/agents/a.md",
      "deep/shared/s/SKILL.md",
    ]) {
      expect(attacker.read(path)).toBe("the user's");
    }
  });

  test("a control file that a command beside it made", async () => {
    const attacker = createAttacker({ mode });
    const slow = attacker.run(
      "until test -e go; do sleep 0.02; done; mkdir -p .cadre; echo x > .cadre/late.yaml; touch made; until test -e end; do sleep 0.02; done",
    );
    const fast = await attacker.run("touch go; until test -e made; do sleep 0.02; done");
    expect(fast.text).toContain(".cadre (created");
    const between = await attacker.run("mkdir -p .vscode; echo x > .vscode/tasks.json; touch end");
    // Whichever ends first undoes it, and says so.
    expect(`${between.text}${(await slow).text}`).toContain(".vscode (created");
    expect(listAll(attacker.workspace)).toEqual(["end", "go", "made"]);
  });

  test("anything of its own in place of what Cadre writes meanwhile", async () => {
    const attacker = createAttacker({ mode });
    const running = attacker.run(
      "until test -e .cadre/config.yaml; do sleep 0.02; done; echo x > .cadre/other.yaml",
    );
    const path = join(attacker.workspace, ".cadre/config.yaml");
    await attacker.call(createWriteTool(), { file_path: path, content: "permitted" });
    expect((await running).text).toContain("other.yaml");
    expect(listAll(attacker.workspace)).toEqual([".cadre", ".cadre/config.yaml"]);
    expect(readFileSync(path, "utf8")).toBe("permitted");
  });
});

describe.runIf(hasSandbox)("in the sandbox", () => {
  test("what the user handed over can be written, and nothing beside it", async () => {
    const attacker = createAttacker();
    const handed = join(attacker.workspace, ".vscode");
    const options = createAttacker({ writable: [handed] });
    expect(options.workspace).not.toBe(attacker.workspace);
    const own = join(options.workspace, ".vscode");
    const bash = createBashTool({
      home: options.home,
      environment: process.env,
      sandbox: { mode: "required", writable: [own] },
    });
    const command = "mkdir .vscode .cadre; echo x > .vscode/tasks.json; echo x > .cadre/a.yaml";
    await options.call(bash, { command });
    expect(listAll(options.workspace)).toEqual([".vscode", ".vscode/tasks.json"]);
  });

  test("credentials of other tools are not to be read, and toolchains are", async () => {
    const { home, run } = createAttacker();
    const secrets = [
      ".claude/.credentials.json",
      ".codex/auth.json",
      ".gemini/oauth_creds.json",
      ".local/share/opencode/auth.json",
      ".config/goose/secrets.yaml",
      ".config/github-copilot/apps.json",
      ".cargo/credentials.toml",
      ".vault-token",
      ".config/rclone/rclone.conf",
      ".config/google-chrome/Default/Login Data",
      ".mozilla/firefox/x/logins.json",
      ".local/share/keyrings/login.keyring",
      ".ssh/id_ed25519",
      ".gem/credentials",
      ".m2/settings.xml",
      ".gradle/gradle.properties",
      ".anything/else",
    ];
    const tools = [".cargo/bin/tool", ".nvm/x", ".local/bin/tool", ".m2/repository/x"];
    for (const path of [...secrets, ...tools]) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), secrets.includes(path) ? "hidden-key" : "a tool");
    }
    const { text } = await run(
      `grep -r "hidden-key" ~ ${home} /home /root; cd ~ && cat ${tools.join(" ")}`,
    );
    expect(text).not.toContain("hidden-key");
    expect(text.match(/a tool/g)).toHaveLength(tools.length);
  });

  test("other folders of the machine, and keys of the system, are not to be seen", async () => {
    const beside = temporaryFolder();
    writeFileSync(join(beside, "file"), "hidden-key");
    const { run } = createAttacker();
    const { text } = await run(
      `cat ${beside}/file /etc/shadow /etc/gshadow; ls /etc/ssl/private /var/lib /var/log /srv /mnt /media; ls -A /root /home /run /`,
    );
    expect(text).not.toContain("hidden-key");
    expect(text).not.toMatch(/^root:/m);
    expect(text).not.toMatch(/^(?:dpkg|syslog|srv|mnt)/m);
    const shown = createAttacker({ readable: [beside] });
    expect((await shown.run(`cat ${beside}/file; echo x > ${beside}/file`)).text).toContain(
      "hidden-key",
    );
    expect(readFileSync(join(beside, "file"), "utf8")).toBe("hidden-key");
  });

  test("unix sockets are out of reach, wherever they listen", async () => {
    const attacker = createAttacker({ readable: ["/var/tmp"] });
    const folders = [temporaryFolder(), "/var/tmp", attacker.workspace, attacker.home, "/run"];
    const paths: string[] = [];
    for (const folder of folders) {
      const path = join(folder, `cadre-${process.pid}-${paths.length}.sock`);
      const server = createServer((socket) => socket.end("reached")).listen(path);
      await once(server, "listening");
      onTestFinished(() => void server.close());
      paths.push(path);
    }
    const connect = (path: string): string =>
      `node -e 'require("net").connect(${JSON.stringify(path)}).on("data", d => console.log(""+d)).on("error", e => console.log(e.code))'`;
    const { text } = await attacker.run(paths.map(connect).join("; "));
    expect(text).not.toContain("reached");
    expect(text.match(/EACCES|ENOENT/g)).toHaveLength(paths.length);
    // The same with the sockets that people ask for.
    const allowed = createAttacker({ unixSockets: true });
    const own = "own.sock";
    const server = createServer((socket) => socket.end("reached"));
    server.listen(join(allowed.workspace, own));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    expect((await allowed.run(connect(own))).text).toContain("reached");
  });

  test("the ways around socket() are closed as well: 32-bit calls and io_uring", async () => {
    const { run } = createAttacker();
    const { text } = await run(
      `perl -e 'my $r = syscall(425, 8, 0); print "ring $r ", $!+0, "\\n"; my $s = syscall(41, 1, 1, 0); print "socket $s ", $!+0, "\\n"; my $t = syscall(0x40000029, 1, 1, 0); print "x32 $t ", $!+0, "\\n"; my $i = syscall(41, 2, 1, 0); print "inet ", $i > 0, "\\n"'`,
    );
    const expected =
      process.arch === "x64" ? "ring -1 13\nsocket -1 13\nx32 -1 13\ninet 1" : "ring -1 13";
    expect(text).toContain(expected);
  });

  test("what deny rules name is hidden or fixed", async () => {
    const deny = ["Read(.env)", "Read(secrets/**)", "Edit(docs/**)"];
    const attacker = createAttacker({}, deny);
    for (const path of [".env", "deep/.env", "secrets/a/b", "real", "other"]) {
      attacker.write(path, "hidden-key");
    }
    attacker.write("docs/page.md", "kept");
    renameSync(join(attacker.workspace, "real"), join(attacker.workspace, "really"));
    symlinkSync("../really", join(attacker.workspace, "deep/link"));
    const { text } = await attacker.run(
      "cat .env deep/.env secrets/a/b; mv .env x; cat x; mv deep away; cat away/.env; mv secrets y; cat y/a/b; ln .env z; cat z; cp -r . /tmp/copy; cat /tmp/copy/.env; echo x > docs/page.md; mv docs gone; umount .env; cat .env",
    );
    expect(text).not.toContain("hidden-key");
    expect(attacker.read(".env")).toBe("hidden-key");
    expect(attacker.read("docs/page.md")).toBe("kept");
    expect((await attacker.run("cat other")).text).toBe("hidden-key");
    expect((await attacker.run("echo mine > new.env; cat new.env")).text).toBe("mine");
  });

  test("a command is refused when deny rules name more files than can be hidden", async () => {
    const attacker = createAttacker({}, ["Read(*.key)"]);
    for (let index = 0; index < 201; index += 1) attacker.write(`keys/${index}.key`);
    expect((await attacker.run("cat keys/1.key")).text).toContain("at most 200");
  });

  test("domains are refused as long as nothing filters them", async () => {
    const { run } = createAttacker({ network: { allow: ["example.com"] } });
    expect((await run("true")).text).toContain("the proxy");
  });
});

describe.runIf(hasSandbox)("in the sandbox, work goes on as usual:", () => {
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

  test("a repository around the workspace can be looked at", async () => {
    const attacker = createAttacker();
    initRepository(attacker);
    attacker.write("packages/a/file");
    const workspace = realpathSync(join(attacker.workspace, "packages/a"));
    const bash = createBashTool({
      home: attacker.home,
      environment: process.env,
      sandbox: { mode: "required" },
    });
    const call = bash.prepare(
      { command: "git log --format=%s; git status --short; echo x > ../b" },
      { workspace },
    );
    if ("problem" in call) throw new Error(call.problem);
    const { text } = await call.execute({ ...attacker.context, workspace });
    expect(text).toMatch(/^one\n\?\? \.\.\/\n.*Read-only file system/);
  });

  test("a worktree of a repository can be looked at", async () => {
    const attacker = createAttacker();
    initRepository(attacker);
    const root = temporaryFolder();
    git(attacker.workspace, "worktree", "add", "--quiet", join(root, "tree"));
    const workspace = join(root, "tree");
    const bash = createBashTool({
      home: attacker.home,
      environment: process.env,
      sandbox: { mode: "required" },
    });
    const call = bash.prepare(
      { command: "git log --format=%s; echo x > new; git status --short" },
      { workspace },
    );
    if ("problem" in call) throw new Error(call.problem);
    expect((await call.execute({ ...attacker.context, workspace })).text).toBe("one\n?? new");
    // To the commands of the repository the entry of the worktree is nothing that they made.
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
