import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createToolFixture, temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { createBashTool } from "../builtin/bash.ts";
import { detectSandbox, findSandboxProblem } from "./sandbox.ts";
import type { SandboxOptions } from "./sandbox-options.ts";
import type { Tool } from "../tool.ts";

const hasSandbox = (await findSandboxProblem()) === null;

test("runs without a sandbox where there is none, unless one is required", async () => {
  const missing = { bubblewrap: "/nonexistent/bwrap", folder: temporaryFolder() };
  expect(await detectSandbox({ mode: "auto" }, missing)).toBeNull();
  expect(await detectSandbox({ mode: "off" }, missing)).toBeNull();
  await expect(detectSandbox({ mode: "required" }, missing)).rejects.toThrow(
    "apt install bubblewrap",
  );
});

test("refuses commands of a read-only run without a sandbox", async () => {
  const fixture = createToolFixture();
  const policy = { mode: "read-only", rules: { allow: [], ask: [], deny: [] } } as const;
  fixture.context.caller.spec.policies = [policy];
  const options = { home: temporaryFolder(), environment: process.env };
  const tool = createBashTool({ ...options, sandbox: { mode: "off" } });
  const { text, isError } = await fixture.call(tool, { command: "echo x > here" });
  expect(isError).toBe(true);
  expect(text).toContain("only a sandbox can enforce that for commands");
  expect(readdirSync(fixture.workspace)).toEqual([]);
});

describe.runIf(hasSandbox)("in a sandbox", () => {
  function createTool(home: string, options: SandboxOptions = {}): Tool {
    return createBashTool({
      home,
      environment: process.env,
      sandbox: { mode: "required", ...options },
    });
  }

  test("writes only in the workspace, in /tmp and in allowed folders", async () => {
    const fixture = createToolFixture();
    const [home, more] = [temporaryFolder(), temporaryFolder()];
    const tool = createTool(home, { writable: [more] });
    const { text } = await fixture.call(tool, {
      command: `echo x > here; echo y > /tmp/there; echo z > ${more}/more; for f in /etc/x /usr/x /x; do echo x > $f || echo refused; done`,
    });
    expect(text.match(/^refused$/gm)).toHaveLength(3);
    expect(readFileSync(join(fixture.workspace, "here"), "utf8")).toBe("x\n");
    expect(readFileSync(join(more, "more"), "utf8")).toBe("z\n");
    expect((await fixture.call(tool, { command: "cat /tmp/there" })).text).toBe("y");
  });

  test("runs the commands of a read-only run without letting them change or reach anything", async () => {
    const fixture = createToolFixture();
    const policy = { mode: "read-only", rules: { allow: [], ask: [], deny: [] } } as const;
    fixture.context.caller.spec.policies = [policy];
    const more = temporaryFolder();
    const { workspace } = fixture;
    execFileSync("git", ["init", "-q"], { cwd: workspace });
    writeFileSync(join(workspace, "a"), "before\n");
    execFileSync("git", ["add", "a"], { cwd: workspace });
    writeFileSync(join(workspace, "a"), "after\n");
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const tool = createTool(temporaryFolder(), { writable: [more], network: true });
    const { text, isError } = await fixture.call(tool, {
      command: `git diff; for f in new a ${more}/x .git/x; do echo x > $f || echo refused; done; rm a || echo refused; echo y > /tmp/own && cat <<< here; exec 3<>/dev/tcp/127.0.0.1/${port} || exit 1`,
    });
    expect(text).toContain("-before\n+after");
    expect(text.match(/^refused$/gm)).toHaveLength(5);
    expect(text).toMatch(/^here$/m);
    expect(isError).toBe(true);
    expect(text).toContain("read-only sandbox");
    expect(readFileSync(join(workspace, "a"), "utf8")).toBe("after\n");
    expect(readdirSync(workspace).sort()).toEqual([".git", "a"]);
    expect(readdirSync(more)).toEqual([]);
  });

  test("works in a git worktree, whose `.git` is a file and stays unchanged", async () => {
    const fixture = createToolFixture();
    const link = join(fixture.workspace, ".git");
    writeFileSync(link, "gitdir: /elsewhere\n");
    const { text } = await fixture.call(createTool(temporaryFolder()), {
      command: "echo x > here; echo gitdir: /mine > .git || rm .git || mv .git away || echo kept",
    });
    expect(text).toMatch(/^kept$/m);
    expect(readFileSync(link, "utf8")).toBe("gitdir: /elsewhere\n");
    expect(readFileSync(join(fixture.workspace, "here"), "utf8")).toBe("x\n");
  });

  test("hides the secrets of the home folder", async () => {
    const fixture = createToolFixture();
    const home = temporaryFolder();
    mkdirSync(join(home, ".ssh"));
    mkdirSync(join(home, ".cadre/skills/a"), { recursive: true });
    writeFileSync(join(home, ".ssh/id"), "hidden-key");
    writeFileSync(join(home, ".netrc"), "hidden-key");
    writeFileSync(join(home, ".cadre/skills/a/SKILL.md"), "a skill");
    writeFileSync(join(home, "plain"), "plain text");
    // A home folder under /tmp would be hidden; bound as a writable path it is visible as elsewhere.
    const tool = createTool(home, { writable: [home] });
    const { text } = await fixture.call(tool, {
      command: `cd ${home}; cat .ssh/id .netrc plain .cadre/skills/a/SKILL.md`,
    });
    expect(text).not.toContain("hidden-key");
    expect(text).toContain("plain text");
    expect(text).toContain("a skill");
  });

  test("does not let a command raise its rights, even as root", async () => {
    const fixture = createToolFixture();
    mkdirSync(join(fixture.workspace, ".git/hooks"), { recursive: true });
    mkdirSync(join(fixture.workspace, ".cadre"));
    writeFileSync(join(fixture.workspace, ".cadre/config.yaml"), "mode: ask");
    const command =
      "echo x > .git/hooks/pre-commit; echo x > .cadre/config.yaml; mount -o remount,rw /; mv .git/hooks away; rm -rf away; mv .git gone; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; rm -rf gone; umount .cadre/config.yaml; cat .cadre/config.yaml";
    const { text } = await fixture.call(createTool(temporaryFolder()), { command });
    expect(text).toContain("mode: ask");
    expect(readdirSync(fixture.workspace).sort()).toEqual([".cadre", ".git"]);
    expect(readdirSync(join(fixture.workspace, ".git/hooks"))).toEqual([]);
    expect(readFileSync(join(fixture.workspace, ".cadre/config.yaml"), "utf8")).toBe("mode: ask");
  });

  test("has no network unless allowed", async () => {
    const server = createServer((socket) => socket.end("reached\n")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const fixture = createToolFixture();
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
    const home = temporaryFolder();
    expect((await fixture.call(createTool(home), { command })).isError).toBe(true);
    expect((await fixture.call(createTool(home, { network: true }), { command })).text).toBe(
      "reached",
    );
    server.close();
  });

  test("shows a command only its own processes", async () => {
    const fixture = createToolFixture();
    const { text } = await fixture.call(createTool(temporaryFolder()), {
      command: "ls -d /proc/[0-9]* | wc -l",
    });
    expect(Number(text)).toBeLessThan(8);
  });

  test("works in a workspace that lies in a hidden folder", async () => {
    const fixture = createToolFixture();
    const home = temporaryFolder();
    const workspace = join(home, ".cadre/worktrees/one");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(home, ".cadre/token"), "hidden-key");
    symlinkSync("../../token", join(workspace, "link"));
    const call = createTool(home).prepare(
      { command: "echo x > file; cat file link" },
      { workspace },
    );
    if ("problem" in call) throw new Error(call.problem);
    const { text } = await call.execute({ ...fixture.context, workspace });
    expect(text).toContain("x\n");
    expect(text).not.toContain("hidden-key");
  });
});
