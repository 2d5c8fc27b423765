import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { confine, resolvePath } from "./path-confinement.ts";
import { openRegular, requireSamePlace } from "./regular-file.ts";
import { open } from "node:fs/promises";

test("resolves relative paths, the home folder and new files in the workspace", () => {
  const workspace = temporaryFolder();
  expect(confine("a/../b/new.txt", { workspace })).toBe(join(workspace, "b/new.txt"));
  expect(confine(".", { workspace })).toBe(workspace);
  expect(confine("..a", { workspace })).toBe(join(workspace, "..a"));
  expect(resolvePath("~/x", workspace)).toBe(join(homedir(), "x"));
});

test.each(["..", "../x", "/etc/passwd", "a/../../x", "~", "/"])(
  "refuses %s and names the workspace",
  (path) => {
    const workspace = temporaryFolder();
    expect(() => confine(path, { workspace })).toThrow(workspace);
  },
);

test("refuses a sibling folder whose name begins with the workspace's", () => {
  const workspace = temporaryFolder();
  expect(() => confine(`${workspace}-other/x`, { workspace })).toThrow("outside the workspace");
});

test("resolves symlinks before it decides, including dangling ones and those in a new file's folder", () => {
  const [workspace, outside] = [temporaryFolder(), temporaryFolder()];
  symlinkSync(outside, join(workspace, "folder"));
  symlinkSync(join(outside, "not-yet"), join(workspace, "dangling"));
  symlinkSync("dangling", join(workspace, "twice"));
  mkdirSync(join(workspace, "real"));
  symlinkSync("real", join(workspace, "inner"));
  for (const path of ["folder/new.txt", "folder/a/b", "dangling", "twice", "twice/x"]) {
    expect(() => confine(path, { workspace })).toThrow("outside the workspace");
  }
  expect(confine("inner/new.txt", { workspace })).toBe(join(workspace, "real/new.txt"));
});

test("refuses symlink loops and NUL characters", () => {
  const workspace = temporaryFolder();
  symlinkSync("b", join(workspace, "a"));
  symlinkSync("a", join(workspace, "b"));
  expect(() => confine("a", { workspace })).toThrow("loop");
  expect(() => confine("a\0", { workspace })).toThrow("NUL");
});

test("opens nothing through a symlink created after the check", async () => {
  const [workspace, outside] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(outside, "secret"), "secret");
  mkdirSync(join(workspace, "folder"));
  writeFileSync(join(workspace, "folder/secret"), "mine");
  const path = confine("folder/secret", { workspace });
  renameSync(join(workspace, "folder"), join(workspace, "away"));
  symlinkSync(outside, join(workspace, "folder"));
  await expect(openRegular(path)).rejects.toThrow("replaced by a symlink");
  symlinkSync(join(outside, "secret"), join(workspace, "link"));
  await expect(openRegular(join(workspace, "link"))).rejects.toThrow("a symlink");
  const handle = await open(join(outside, "secret"));
  await expect(requireSamePlace(handle, join(workspace, "x"))).rejects.toThrow(
    "it was not changed",
  );
  await handle.close();
});

test("hides keys when the home folder is the workspace", () => {
  const home = realpathSync(homedir());
  expect(() => confine(".ssh/id_rsa", { workspace: home })).toThrow("hidden from tools");
  expect(confine("notes.txt", { workspace: home })).toBe(join(home, "notes.txt"));
  expect(confine("a", { workspace: join(home, ".cadre/worktrees/x") })).toContain("worktrees/x/a");
});
