import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { guardAndKill } from "../../../test/fixtures/process/guard-and-kill.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { builtInFormats } from "../../agent/find-format.ts";
import { packRoots } from "../../aip/location/resolve-aip.ts";
import { recipeFolders } from "../../recipe/recipe-folder.ts";
import { findSkills } from "../skill/skill.ts";
import { findControlPaths } from "./find-control-paths.ts";
import { guardCommand, undoLeftChanges } from "./guard-command.ts";
import { isHarmlessGitConfig } from "./harmless-git-config.ts";
import { isControlFile } from "./is-control-file.ts";
import { rememberOwnWrite } from "./own-writes.ts";
import { createFolderWalk } from "./walk-folders.ts";

function write(folder: string, path: string, text = "x"): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

async function find(workspace: string): Promise<string[]> {
  const found = await findControlPaths(workspace);
  return found.map(({ path }) => path.slice(workspace.length + 1)).sort();
}

describe("every path that discovery reads is a control file in any folder of the workspace:", () => {
  const workspace = "/nowhere/work";
  const folders = { cwd: workspace, home: workspace, environment: {} };
  const project = { cwd: workspace, home: "/nowhere/home", environment: {} };
  const inWorkspace = (path: string): boolean => path.startsWith(`${workspace}/`);
  const read = [
    ...builtInFormats.folders.flatMap(({ path, userPath, format }) =>
      [path, userPath].flatMap((folder) =>
        format.extensions.map((end) => join(workspace, folder, `a${end}`)),
      ),
    ),
    ...[...recipeFolders(project), ...recipeFolders(folders)]
      .map(({ path }) => join(path, "recipe.yaml"))
      .filter((path) => inWorkspace(path)),
    ...packRoots({ workspace, home: workspace }).map((root) =>
      join(root, "ns", "pack", "main.aip"),
    ),
    join(workspace, ".cadre", "config.yaml"),
    join(workspace, ".cadre", "trusted.json"),
    join(workspace, ".aipack", "config.toml"),
  ];

  test.each([...new Set(read)])("%s", (path) => {
    expect(isControlFile(path, workspace)).toBe(true);
    expect(
      isControlFile(path.toUpperCase().replace(workspace.toUpperCase(), workspace), workspace),
    ).toBe(true);
    const below = path.replace(workspace, join(workspace, "packages", "a"));
    expect(isControlFile(below, workspace)).toBe(true);
  });

  test("the skills", async () => {
    const folder = temporaryFolder();
    for (const name of [".cadre", ".acai", ".claude", ".agents", ".other"]) {
      write(folder, `${name}/skills/${name.slice(1)}/SKILL.md`, "---\ndescription: d\n---\n");
    }
    const skills = await findSkills(folder, folder);
    expect(skills.length).toBeGreaterThan(2);
    for (const skill of skills) {
      expect(isControlFile(join(skill.folder, "SKILL.md"), folder)).toBe(true);
    }
  });
});

test("ordinary project files are not control files", () => {
  const paths = [
    "package.json",
    "Makefile",
    ".env",
    ".github/workflows/ci.yml",
    "src/config",
    "AGENTS.md",
    "hooks/x",
    ".gitignore",
    ".cadrex",
    "a.cadre/b",
  ];
  expect(paths.filter((path) => isControlFile(`/nowhere/work/${path}`, "/nowhere/work"))).toEqual(
    [],
  );
});

test("a path is a control file even behind a symlink and in a repository without `.git`", () => {
  const workspace = temporaryFolder();
  write(workspace, "shared/agents/a.md");
  mkdirSync(join(workspace, ".claude"));
  symlinkSync("../shared/agents", join(workspace, ".claude/agents"));
  write(workspace, "bare/HEAD");
  const isControl = (path: string): boolean => isControlFile(join(workspace, path), workspace);
  expect(isControl("shared/agents/b.md")).toBe(true);
  expect(isControl("shared/other.md")).toBe(false);
  expect(["bare/config", "bare/hooks/post-update", "other/HEAD"].map(isControl)).toEqual([
    true,
    true,
    true,
  ]);
  expect(isControl("other/config")).toBe(false);
});

describe("control files are found", () => {
  test("in all folders except installed packages, including the targets of symlinks", async () => {
    const workspace = temporaryFolder();
    for (const path of [
      ".cadre/config.yaml",
      "a/b/.mcp.json",
      "node_modules/p/.vscode/x",
      "shared/s",
      "bare/HEAD",
      "bare/objects/a",
      "bare/refs/a",
      "bare/config",
      "src/config",
      "src/HEAD",
    ]) {
      write(workspace, path);
    }
    mkdirSync(join(workspace, ".claude"));
    symlinkSync("../shared", join(workspace, ".claude/skills"));
    expect(await find(workspace)).toEqual([
      ".cadre",
      ".claude/skills",
      "a/b/.mcp.json",
      "bare/config",
      "shared",
    ]);
  });

  test("at any time after a prepared folder is renamed", async () => {
    const workspace = temporaryFolder();
    write(workspace, "a/b/agents/x.md");
    for (let round = 0; round < 50; round += 1) {
      expect(await find(workspace)).toEqual([]);
      renameSync(join(workspace, "a/b"), join(workspace, "a/.cadre"));
      expect(await find(workspace)).toEqual(["a/.cadre"]);
      renameSync(join(workspace, "a/.cadre"), join(workspace, "a/b"));
    }
  });
});

test("a walk reads a folder again only after it changed", async () => {
  const root = temporaryFolder();
  for (const path of ["a/b/file", "c/file"]) write(root, path);
  const read: string[] = [];
  const walk = createFolderWalk<null, null>(({ path }, entries) => {
    read.push(path.slice(root.length + 1));
    const folders = entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ path: join(path, name), state: null }));
    return { folders, value: null };
  });
  const walkOnce = async (): Promise<string[]> => {
    await walk.walk({ path: root, state: null }, () => undefined);
    return read.splice(0).sort();
  };
  expect(await walkOnce()).toEqual(["", "a", "a/b", "c"]);
  // A folder that changed a moment ago is read each time, because file system times are coarse.
  expect(await walkOnce()).toEqual(["", "a", "a/b", "c"]);
  await vi.waitFor(async () => {
    await walkOnce();
    expect(await walkOnce()).toEqual([]);
  });
  write(root, "a/b/new");
  expect(await walkOnce()).toEqual(["a/b"]);
});

test.each([
  [
    "what git init writes",
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n",
    true,
  ],
  [
    "a remote",
    '[remote "origin"]\n\turl = git@github.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
    true,
  ],
  ["a monitor", "[core]\n\tfsmonitor = ./x\n", false],
  ["a monitor behind its section", "[core] fsmonitor = ./x\n", false],
  ["a monitor in other letters", "[CORE]\n\tFsMonitor = ./x\n", false],
  ["an included file", "[include]\n\tpath = x\n", false],
  ["a continued line", "[user]\n\tname = a\\\n[core]\n", false],
  ["a command as a remote", '[remote "o"]\n\turl = ext::sh -c x\n', false],
  ["an option as a remote", '[remote "o"]\n\turl = --upload-pack=x\n', false],
  ["a filter", '[filter "x"]\n\tsmudge = x\n', false],
])("%s in a git configuration is judged", (_, text, isHarmless) => {
  expect(isHarmlessGitConfig(text)).toBe(isHarmless);
});

test("the next process undoes the changes that a killed process left", async () => {
  const [workspace, folder] = [temporaryFolder(), temporaryFolder()];
  write(workspace, ".cadre/config.yaml", "the user's");
  await guardAndKill(workspace, folder, () => {
    write(workspace, ".cadre/config.yaml", "the command's");
    write(workspace, "sub/.claude/settings.json");
  });
  const undone = await undoLeftChanges(folder);
  expect(
    undone.map(({ path, change }) => `${path.slice(workspace.length + 1)} ${change}`).sort(),
  ).toEqual([".cadre/config.yaml changed", "sub/.claude/settings.json created"]);
  expect(readFileSync(join(workspace, ".cadre/config.yaml"), "utf8")).toBe("the user's");
  expect(existsSync(join(workspace, "sub/.claude/settings.json"))).toBe(false);
  expect(readFileSync(join(folder, "quarantine/.cadre/config.yaml"), "utf8")).toBe("the command's");
  expect(await undoLeftChanges(folder)).toEqual([]);
});

test("changes made long after a process was killed stay", async () => {
  const [workspace, folder] = [temporaryFolder(), temporaryFolder()];
  write(workspace, ".cadre/config.yaml", "old");
  await guardAndKill(workspace, folder, () => undefined);
  const [id = ""] = readdirSync(join(folder, "baselines"));
  const anHourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(folder, "baselines", id, "baseline.json"), anHourAgo, anHourAgo);
  write(workspace, ".cadre/config.yaml", "new");
  write(workspace, ".mcp.json");
  expect(await undoLeftChanges(folder)).toEqual([]);
  expect(readFileSync(join(workspace, ".cadre/config.yaml"), "utf8")).toBe("new");
  expect(readdirSync(join(folder, "baselines"))).toEqual([]);
});

test("a guarded command is not blamed for Cadre's own writes", async () => {
  const [workspace, folder] = [temporaryFolder(), temporaryFolder()];
  write(workspace, ".git/HEAD");
  write(workspace, ".git/config", "[core]\n\tbare = false\n");
  const guard = await guardCommand(folder, {
    workspace,
    isSandboxed: true,
    handedOver: [],
    quarantine: join(folder, "quarantine"),
  });
  expect(guard.readOnly).toEqual([join(workspace, ".git/config")]);
  write(workspace, ".git/index");
  write(workspace, ".git/logs/HEAD");
  write(workspace, "src/file");
  expect(await guard.finish()).toEqual([]);
});

test("Cadre's own temporary file is not restored", async () => {
  const [workspace, folder] = [temporaryFolder(), temporaryFolder()];
  const [path, draft] = [".mcp.json", ".cadre/.draft.tmp"].map((name) => join(workspace, name));
  write(workspace, ".cadre/.draft.tmp");
  rememberOwnWrite(path ?? "", "", draft ?? "");
  const folders = { workspace, isSandboxed: false, handedOver: [], quarantine: join(folder, "q") };
  const guard = await guardCommand(folder, folders);
  renameSync(draft ?? "", join(workspace, "away"));
  expect(await guard.finish()).toEqual([]);
  expect(existsSync(draft ?? "")).toBe(false);
});
