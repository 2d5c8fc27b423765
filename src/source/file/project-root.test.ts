import { chmod, chown, mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { findProjectRoot, projectFolders } from "./project-root.ts";

let base = "";
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "cadre-root-")));
});

async function folder(...parts: string[]): Promise<string> {
  const path = join(base, ...parts);
  await mkdir(path, { recursive: true });
  return path;
}

test("the root is the nearest folder with .git, and all folders up to it count", async () => {
  const cwd = await folder("repo", "packages", "one");
  await folder("repo", ".git");
  await folder("repo", "packages", ".cadre", "agents");
  expect(findProjectRoot({ cwd, home: base })).toBe(join(base, "repo"));
  expect(projectFolders({ cwd, home: base })).toEqual([
    cwd,
    join(base, "repo", "packages"),
    join(base, "repo"),
  ]);
});

test("without .git it is the nearest folder with .cadre, which the home folder's own never is", async () => {
  const cwd = await folder("home", "work", "deep");
  const home = join(base, "home");
  await folder("home", ".cadre", "agents");
  expect(findProjectRoot({ cwd, home })).toBe(cwd);
  await folder("home", "work", ".cadre", "agents");
  expect(findProjectRoot({ cwd, home })).toBe(join(home, "work"));
});

test("a .cadre with only Cadre's own files does not make a folder a project", async () => {
  const cwd = await folder("outer", "inner");
  await folder("outer", ".cadre", "state");
  expect(findProjectRoot({ cwd, home: base })).toBe(cwd);
  await writeFile(join(base, "outer", ".cadre", "config.yaml"), "");
  expect(findProjectRoot({ cwd, home: base })).toBe(join(base, "outer"));
});

test.each([".git", ".cadre/agents"])(
  "%s of a home folder, or above it, does not make a project",
  async (name) => {
    const cwd = await folder("homes", "me", "work");
    const home = join(base, "homes", "me");
    await folder("homes", name);
    await folder("homes", "me", name);
    expect(findProjectRoot({ cwd, home })).toBe(cwd);
    expect(projectFolders({ cwd, home })).toEqual([cwd]);
    expect(findProjectRoot({ cwd: home, home })).toBe(home);
    expect(projectFolders({ cwd: home, home })).toEqual([]);
  },
);

test("a home folder is recognised through any link", async () => {
  const cwd = await folder("real", "work");
  await folder("real", ".cadre", "agents");
  await symlink(join(base, "real"), join(base, "link"));
  expect(findProjectRoot({ cwd, home: join(base, "link") })).toBe(cwd);
});

test.each([".git", ".cadre/agents"])(
  "%s of a folder that others can write to does not make a project",
  async (name) => {
    const cwd = await folder("shared", "mine");
    await folder("shared", name);
    expect(findProjectRoot({ cwd, home: "/nonexistent" })).toBe(join(base, "shared"));
    await chmod(join(base, "shared"), 0o1777);
    expect(findProjectRoot({ cwd, home: "/nonexistent" })).toBe(cwd);
    expect(projectFolders({ cwd, home: "/nonexistent" })).toEqual([cwd]);
    // A command started there refers to it.
    expect(findProjectRoot({ cwd: join(base, "shared"), home: "/nonexistent" })).toBe(
      join(base, "shared"),
    );
  },
);

test.runIf(process.getuid?.() === 0)("files of another user do not make a project", async () => {
  const cwd = await folder("theirs", "mine");
  await folder("theirs", ".git");
  await chown(join(base, "theirs"), 4711, 4711);
  expect(findProjectRoot({ cwd, home: "/nonexistent" })).toBe(cwd);
  // A command in a folder of that user works in that user's project.
  await chown(cwd, 4711, 4711);
  expect(findProjectRoot({ cwd, home: "/nonexistent" })).toBe(join(base, "theirs"));
});

test("the root of a file system is a project only when it is the working folder", () => {
  expect(findProjectRoot({ cwd: "/", home: "/root" })).toBe("/");
  expect(projectFolders({ cwd: "/", home: "/root" })).toEqual(["/"]);
  expect(findProjectRoot({ cwd: "/nonexistent/x", home: "/" })).toBe("/nonexistent/x");
});
