import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { AgentDefinition, AgentScope } from "../../agent/definition/agent.ts";
import { findMemory, isMemoryFile } from "./agent-memory.ts";

function createFixture(isTrusted = true) {
  const root = temporaryFolder();
  const [repo, home] = [join(root, "repo"), join(root, "home")];
  mkdirSync(join(repo, ".git"), { recursive: true });
  mkdirSync(join(repo, "sub"));
  mkdirSync(home);
  return {
    root,
    repo,
    home,
    project: { cwd: join(repo, "sub"), home, isTrusted: () => isTrusted },
  };
}

function agent(
  memory: AgentDefinition["memory"],
  { name = "reviewer", scope = "user" }: { name?: string; scope?: AgentScope } = {},
) {
  return { name, ...(memory && { memory }), source: { format: "claude", scope, path: "/x/a.md" } };
}

test("a memory is in the folder of Claude Code", () => {
  const { repo, home, project } = createFixture();
  expect(findMemory(agent("user"), project)).toEqual({
    folder: join(home, ".claude/agent-memory/reviewer"),
  });
  expect(findMemory(agent("project"), project)).toEqual({
    folder: join(repo, ".claude/agent-memory/reviewer"),
  });
  expect(findMemory(agent("local"), project)).toEqual({
    folder: join(repo, ".claude/agent-memory-local/reviewer"),
  });
  expect(findMemory(agent(undefined), project)).toBeUndefined();
});

test.each([["../../.ssh"], ["a/b"], [".."], ["Code Reviewer"]])(
  "the name %s leads to one folder below",
  (name) => {
    const { home, project } = createFixture();
    const memory = findMemory(agent("user", { name }), project) as { folder: string };
    expect(memory.folder).toBe(join(home, ".claude/agent-memory", name.replaceAll(/[^\w-]/g, "-")));
  },
);

test("an untrusted project has no memory, and its agents get none of the user's", () => {
  const { project } = createFixture(false);
  for (const definition of [
    agent("project"),
    agent("local"),
    agent("user", { scope: "project" }),
  ]) {
    expect(findMemory(definition, project)).toEqual({
      problem: expect.stringMatching(/runs without its memory .* is not in a trusted folder/),
    });
  }
  expect(findMemory(agent("user"), project)).toHaveProperty("folder");
});

test("a memory whose link leads elsewhere is refused", () => {
  const { root, repo, project } = createFixture();
  mkdirSync(join(repo, ".claude/agent-memory"), { recursive: true });
  symlinkSync(root, join(repo, ".claude/agent-memory/reviewer"));
  expect(findMemory(agent("project"), project)).toEqual({
    problem: expect.stringContaining("its folder leads to"),
  });
});

test.each([
  ["/m/MEMORY.md", true],
  ["/m/topics/a.md", true],
  ["/m/run.sh", false],
  ["/m/.hidden.md", false],
  ["/m/.claude/agents/a.md", false],
  ["/m-other/a.md", false],
  ["/a.md", false],
])("%s is a file of the memory /m: %s", (path, is) => {
  expect(isMemoryFile(path, { folder: "/m" })).toBe(is);
});
