import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { measureCpu } from "../../test/fixtures/cpu-time.ts";
import type { AgentDefinition } from "./definition/agent.ts";
import { discoverAgents, type Discovery } from "./discover.ts";

let base = "";
let project = "";
let home = "";
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "cadre-discover-")));
  project = join(base, "home", "project");
  home = join(base, "home");
  await mkdir(join(project, ".git"), { recursive: true });
});
afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

async function write(path: string, content: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

function agent(name: string, description = "x", more = ""): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\nBody.\n`;
}

async function discover(
  more: { cwd?: string; isTrusted?: boolean; files?: string[] } = {},
): Promise<Discovery> {
  const { cwd = project, isTrusted = true, files = [] } = more;
  return discoverAgents({ cwd, home, files, isTrusted: () => isTrusted });
}

function find({ agents }: Discovery, name: string): AgentDefinition | undefined {
  return agents.find((one) => one.name === name);
}

function codesAt({ diagnostics }: Discovery): string[] {
  return diagnostics.map(
    ({ path, severity, code }) => `${path.slice(base.length + 1)} ${severity} ${code}`,
  );
}

test("all formats are found in project and home, and the built-in agent beside them", async () => {
  await write(join(project, ".cadre/agents/deep/native.md"), agent("native"));
  await write(join(project, ".acai/subagents/acai.md"), agent("acai"));
  await write(join(project, ".claude/agents/deep/any.md"), agent("claude"));
  await write(join(home, ".claude/agents/mine.md"), agent("mine"));
  await write(
    join(project, ".cadre/agents/counter.mjs"),
    'export default { name: "counter", description: "x", run() {} };',
  );
  const found = await discover();
  expect(
    found.agents.map(({ name, source }) => `${name} ${source.format} ${source.scope}`),
  ).toEqual([
    "native cadre project",
    "counter program project",
    "acai acai project",
    "claude claude project",
    "mine claude user",
    "main builtin builtin",
  ]);
  expect(found.diagnostics).toEqual([]);
});

test("the folders of every other program are found, in a project and at home, in the order of their precedence", async () => {
  const named = (name: string): string => agent(name);
  const toml = `name = "codex"\ndescription = "d"\ndeveloper_instructions = "i"\n`;
  await write(join(project, ".cursor/agents/cursor.md"), named("cursor"));
  await write(join(project, ".codex/agents/deep/codex.toml"), toml);
  await write(join(project, ".gemini/agents/gemini.md"), named("gemini"));
  await write(join(project, ".gemini/agents/_draft.md"), named("draft"));
  await write(join(project, ".github/agents/copilot.agent.md"), named("copilot"));
  await write(join(project, ".opencode/agents/team/plural.md"), "---\ndescription: x\n---\nBody.");
  await write(join(project, ".opencode/agent/singular.md"), "---\ndescription: x\n---\nBody.");
  await write(join(home, ".cursor/agents/u-cursor.md"), named("u-cursor"));
  await write(join(home, ".codex/agents/u.toml"), toml.replace("codex", "u-codex"));
  await write(join(home, ".gemini/agents/u.md"), named("u-gemini"));
  await write(join(home, ".copilot/agents/u.md"), named("u-copilot"));
  await write(join(home, ".config/opencode/agents/u-opencode.md"), "---\ndescription: x\n---\nB.");
  // A folder of the project is not a folder of the user, and vice versa.
  await write(join(home, ".github/agents/no.md"), named("no"));
  await write(join(project, ".copilot/agents/no.md"), named("no"));
  const { agents, diagnostics } = await discover();
  expect(agents.map(({ name, source }) => `${source.scope} ${source.format} ${name}`)).toEqual([
    "project opencode singular",
    "project opencode team/plural",
    "project copilot copilot",
    "project gemini gemini",
    "project codex codex",
    "project cursor cursor",
    "user opencode u-opencode",
    "user copilot u-copilot",
    "user gemini u-gemini",
    "user codex u-codex",
    "user cursor u-cursor",
    "builtin builtin main",
  ]);
  expect(diagnostics).toEqual([]);
});

test("a disabled agent keeps its name and cannot be used", async () => {
  await write(join(project, ".opencode/agent/a.md"), "---\ndescription: x\ndisable: true\n---\nB.");
  await write(join(home, ".cadre/agents/a.md"), agent("a"));
  const found = await discover();
  expect(find(found, "a")).toBeUndefined();
  expect(found.all.filter(({ name }) => name === "a")).toHaveLength(2);
});

test("the nearest folder wins, then the order of formats, then the user's; each loser names the winner", async () => {
  const cwd = join(project, "packages/one");
  const winner = await write(join(cwd, ".claude/agents/a.md"), agent("a", "nearest"));
  await write(join(project, ".claude/agents/a.md"), agent("a", "root, claude"));
  await write(join(project, ".cadre/agents/a.md"), agent("a", "root, native"));
  await write(join(home, ".cadre/agents/a.md"), agent("a", "home"));
  await write(join(project, ".claude/agents/b.md"), agent("b", "claude"));
  await write(join(project, ".cadre/agents/b.md"), agent("b", "native"));
  const found = await discover({ cwd });
  expect(find(found, "a")?.description).toBe("nearest");
  expect(find(found, "b")?.description).toBe("native");
  const losers = found.all.filter(
    ({ name, diagnostics }) => name === "a" && diagnostics.length > 0,
  );
  expect(losers.map(({ description }) => description)).toEqual([
    "root, native",
    "root, claude",
    "home",
  ]);
  for (const { diagnostics } of losers) {
    expect(diagnostics).toMatchObject([{ severity: "warning", code: "shadowed" }]);
    expect(diagnostics[0]?.message).toContain(winner);
  }
});

test("copies of an agent for several programs are one note, and the first one is used", async () => {
  for (const name of ["a", "b"]) {
    await write(join(project, `.claude/agents/${name}.md`), agent(name, "does it"));
    await write(join(project, `.opencode/agent/${name}.md`), agent(name, "does  it"));
    await write(join(project, `.github/agents/${name}.agent.md`), agent(name, "does it"));
  }
  await write(join(project, ".gemini/agents/a.md"), agent("a", "does something else"));
  await write(join(home, ".opencode/agent/a.md"), agent("a", "does it"));
  const found = await discover();
  expect(find(found, "a")?.source.format).toBe("claude");
  expect(codesAt(found)).toEqual([
    "home/project/.gemini/agents/a.md warning shadowed",
    "home/project/.opencode/agent/a.md info copies",
  ]);
  expect(found.diagnostics[1]?.message).toContain(
    "2 agents have files for several programs (a, b): the files for claude are used, those for opencode, copilot are not.",
  );
  const copies = found.all.filter(({ diagnostics }) => diagnostics[0]?.code === "copy");
  expect(copies).toHaveLength(4);
});

test("nothing above the root of the repository is project scope", async () => {
  await write(join(home, ".acai/subagents/above.md"), agent("above"));
  expect(find(await discover(), "above")?.source.scope).toBe("user");
  const stranger = await write(join(base, ".cadre/agents/stranger.md"), agent("stranger"));
  const found = await discover();
  expect(found.all.map(({ source }) => source.path)).not.toContain(stranger);
});

test("a definition named main replaces the built-in one silently", async () => {
  await write(join(project, ".cadre/agents/main.md"), agent("main", "ours"));
  const found = await discover();
  expect(find(found, "main")?.description).toBe("ours");
  expect(found.diagnostics).toEqual([]);
});

test("a broken definition is listed, cannot be used, and still shadows one that may do more", async () => {
  await write(join(project, ".cadre/agents/main.md"), agent("main", "x", "tools: 5\n"));
  const found = await discover();
  expect(find(found, "main")).toBeUndefined();
  expect(found.all[0]).toMatchObject({ name: "main", diagnostics: [{ code: "wrong-type" }] });
});

test("given files win over all others", async () => {
  await write(join(project, ".cadre/agents/a.md"), agent("a", "found"));
  await write(join(base, "elsewhere/a.md"), agent("a", "given"));
  const found = await discover({ files: [join(base, "elsewhere/a.md")] });
  expect(find(found, "a")).toMatchObject({ description: "given", source: { scope: "library" } });
});

test("prose is a note in Claude's folder and an error in Cadre's, except for a README", async () => {
  await write(join(project, ".claude/agents/notes.md"), "# Notes");
  await write(join(project, ".cadre/agents/README.md"), "# About");
  await write(join(project, ".cadre/agents/notes.md"), "# Notes");
  const found = await discover();
  expect(codesAt(found)).toEqual([
    "home/project/.cadre/agents/README.md info prose-skipped",
    "home/project/.cadre/agents/notes.md error frontmatter-missing",
    "home/project/.claude/agents/notes.md info prose-skipped",
  ]);
});

test("symlinks inside the project are followed; those that leave it, form a cycle or are broken are not", async () => {
  const folder = join(project, ".cadre/agents");
  await write(join(project, "shared/linked.md"), agent("linked"));
  await write(join(base, "outside/secret.md"), agent("secret"));
  await mkdir(folder, { recursive: true });
  await symlink(join(project, "shared/linked.md"), join(folder, "linked.md"));
  await symlink(join(base, "outside/secret.md"), join(folder, "secret.md"));
  await symlink(join(base, "outside"), join(folder, "out"));
  await symlink(folder, join(folder, "circle"));
  await symlink(join(folder, "self.md"), join(folder, "self.md"));
  const found = await discover();
  expect(found.agents.map(({ name }) => name)).toEqual(["linked", "main"]);
  expect(codesAt(found).sort()).toEqual([
    "home/project/.cadre/agents/circle warning symlink-circle",
    "home/project/.cadre/agents/out warning symlink-outside",
    "home/project/.cadre/agents/secret.md warning symlink-outside",
    "home/project/.cadre/agents/self.md warning symlink-broken",
  ]);
});

test("an agents folder that is a symlink out of the project is not read", async () => {
  await write(join(base, "outside/secret.md"), agent("secret"));
  await mkdir(join(project, ".claude"));
  await symlink(join(base, "outside"), join(project, ".claude/agents"));
  const found = await discover();
  expect(find(found, "secret")).toBeUndefined();
  expect(codesAt(found)).toEqual(["home/project/.claude/agents warning symlink-outside"]);
});

test("hidden, oversized and irregular files, and files in place of folders, are findings and never crash or block", async () => {
  const folder = join(project, ".claude/agents");
  await write(join(folder, ".hidden.md"), agent("hidden"));
  await write(join(folder, "large.md"), "x".repeat(1024 * 1024 + 1));
  execFileSync("mkfifo", [join(folder, "pipe.md")]);
  await write(join(project, ".acai/subagents"), "not a folder");
  const found = await discover();
  expect(found.agents.map(({ name }) => name)).toEqual(["main"]);
  expect(codesAt(found).sort()).toEqual([
    "home/project/.acai/subagents error folder-unreadable",
    "home/project/.claude/agents/.hidden.md info hidden-skipped",
    "home/project/.claude/agents/large.md error file-too-large",
    "home/project/.claude/agents/pipe.md error not-a-file",
  ]);
});

test("two thousand definitions load in time", async () => {
  const folder = join(project, ".claude/agents");
  await mkdir(folder, { recursive: true });
  const body = "Do one thing, and do it well.\n".repeat(40);
  const names = Array.from({ length: 2000 }, (_, index) => `agent-${index}`);
  await Promise.all(
    names.map((name, index) => {
      const description = index % 20 === 0 ? "Use it when: asked" : "Reviews code";
      const header = `name: ${name}\ndescription: ${description}\ntools: Read, Grep\nmodel: sonnet\ncolor: red`;
      return writeFile(join(folder, `${name}.md`), `---\n${header}\n---\n${body}`);
    }),
  );
  const cpuMs = await measureCpu(async () => {
    const { agents } = await discover();
    expect(agents).toHaveLength(2001);
  });
  // It takes about 800; the margin is for slow processors.
  expect(cpuMs).toBeLessThan(10_000);
});
