import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { findProjectRoot, findStateRoot, projectFolders } from "./project-root.ts";

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
  await folder("repo", "packages", ".cadre");
  expect(findProjectRoot({ cwd, home: base })).toBe(join(base, "repo"));
  expect(projectFolders({ cwd, home: base })).toEqual([
    cwd,
    join(base, "repo", "packages"),
    join(base, "repo"),
  ]);
  expect(findStateRoot({ cwd, home: base })).toBe(join(base, "repo", "packages"));
});

test("without .git it is the nearest folder with .cadre, which the home folder's own never is", async () => {
  const cwd = await folder("home", "work", "deep");
  const home = join(base, "home");
  await folder("home", ".cadre");
  expect(findProjectRoot({ cwd, home })).toBe(cwd);
  expect(findStateRoot({ cwd, home })).toBe(cwd);
  await folder("home", "work", ".cadre");
  expect(findProjectRoot({ cwd, home })).toBe(join(home, "work"));
});

test("a home folder that is a repository is not taken for project scope", async () => {
  const cwd = await folder("home", "work");
  const home = join(base, "home");
  await folder("home", ".git");
  expect(projectFolders({ cwd, home })).toEqual([cwd]);
});
