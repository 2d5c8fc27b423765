import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { checkPaths, loadAgentFile } from "./check.ts";

let root = "";
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cadre-check-")));
  await mkdir(join(root, ".git"));
});

async function write(path: string, content: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function check(...paths: string[]): Promise<string[]> {
  const project = { cwd: root, home: join(root, "home"), isTrusted: () => false };
  const found = await checkPaths(paths, project);
  return found.map(({ path, line, code }) => `${path.slice(root.length + 1)}:${line} ${code}`);
}

test("without paths the whole project is checked, prose included", async () => {
  await write(".claude/agents/notes.md", "# Notes");
  await write(".cadre/agents/a.md", "---\nname: b\ndescription: x\n---\nBody.");
  await write("home/.cadre/agents/user.md", "no frontmatter");
  expect(await check()).toEqual([
    ".cadre/agents/a.md:2 name-mismatch",
    ".claude/agents/notes.md:1 prose-skipped",
  ]);
});

test("a file in a known folder is read by that folder's rules", async () => {
  await write(".claude/agents/file.md", "---\nname: other\ndescription: x\n---\nBody.");
  await write(".acai/subagents/file.md", "---\nname: other\ndescription: x\n---\nBody.");
  expect(await check(".claude/agents/file.md", ".acai/subagents/file.md")).toEqual([
    ".acai/subagents/file.md:2 name-mismatch",
  ]);
});

test("a folder is checked by its kind: agents, a project, or loose files with a name", async () => {
  await write("one/.claude/agents/team/a.md", "---\ndescription: x\n---\nBody.");
  await write("two/docs/b.md", "---\nname: c\ntimeout: 60\n---\nBody.");
  await write("two/docs/prose.md", "# Prose");
  await write("two/node_modules/p/d.md", "---\nname: e\n---\nBody.");
  expect(await check("one/.claude/agents/team")).toEqual([
    "one/.claude/agents/team/a.md:2 name-missing",
  ]);
  expect(await check("one")).toEqual(["one/.claude/agents/team/a.md:2 name-missing"]);
  expect(await check("two")).toEqual([
    "two/node_modules:1 packages-skipped",
    "two/docs/b.md:2 name-mismatch",
    "two/docs/b.md:2 description-missing",
  ]);
});

test("a missing path, or one without an agent, is an error", async () => {
  await write("data.csv", "a,b");
  await mkdir(join(root, "empty"));
  expect(await check("missing.md", "data.csv", "empty")).toEqual([
    "missing.md:1 not-found",
    "data.csv:1 not-an-agent",
    "empty:1 not-an-agent",
  ]);
});

test("an untrusted program does not run", async () => {
  await write("agents/p.mjs", "throw new Error('must not run')");
  expect(await check("agents/p.mjs")).toEqual(["agents/p.mjs:1 not-trusted"]);
});

test("an agent file anywhere can be loaded by its path", async () => {
  await write("somewhere/helper.md", "---\nname: helper\ndescription: x\n---\nBody.");
  const { definition } = await loadAgentFile(join(root, "somewhere/helper.md"), () => false);
  expect(definition).toMatchObject({
    name: "helper",
    source: { format: "cadre", scope: "library" },
  });
});
