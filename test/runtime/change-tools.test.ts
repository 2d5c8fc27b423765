import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explainCall } from "../../src/host.ts";
import { createGitProject, type GitProject, writeFiles } from "../fixtures/git/git-project.ts";
import { type ServerReply, type ServerTurn } from "../fixtures/model-server.ts";

/** Creates a parent whose steps are these replies. The task of a child is what it writes. */
async function createParent(steps: readonly ServerReply[]): Promise<GitProject> {
  const project = await createGitProject((turn: ServerTurn) =>
    turn.agent === "editor" ? writeFiles(turn) : (steps[turn.turn] ?? "done"),
  );
  project.project.writeAgent("editor", { isolation: "worktree", tools: ["Write", "Read", "Bash"] });
  return project;
}

const spawn = (label: string, task: string): ServerReply => [
  { tool: "sessions_spawn", input: { agentId: "editor", task, label } },
];
const wait: ServerReply = [{ tool: "sessions_wait", input: {} }];
const merge = (input: object): ServerReply => [{ tool: "changes_merge", input: { ...input } }];

/** Returns the results of the calls of a tool, in order. */
async function resultsOf({ cadre }: GitProject, runId: string, tool: string): Promise<string[]> {
  const parts = await (await cadre.find(runId)).transcript();
  const ids = new Set(
    parts.flatMap((part) => (part.type === "tool-call" && part.tool === tool ? [part.id] : [])),
  );
  return parts.flatMap((part) =>
    part.type === "tool-result" && ids.has(part.id) ? [part.text] : [],
  );
}

describe("a run takes over what its sub-agents changed in worktrees", () => {
  test("reads, merges and discards by label, and hears of conflicts by file and author", async () => {
    const project = await createParent([
      spawn("one", "a.txt=one c.txt=c"),
      spawn("two", "a.txt=two"),
      spawn("three", "b.txt=three"),
      wait,
      [{ tool: "changes_read", input: { run: "two" } }],
      merge({ runs: ["one", "two", "three"], dryRun: true }),
      merge({ runs: ["one", "three"] }),
      merge({ runs: ["two"] }),
      [{ tool: "changes_discard", input: { run: "two" } }],
    ]);
    const { cadre, read, git } = project;
    const { runId } = await cadre.run({ agent: "main", task: "go", mode: "auto" });
    const [patch] = await resultsOf(project, runId, "changes_read");
    expect(patch).toContain("+two");
    const [tried, merged, left] = await resultsOf(project, runId, "changes_merge");
    expect(tried).toMatch(/^Would merge: .*\nChanged files: .*\nLeft out because it conflicts: /s);
    expect(merged).toMatch(/^Merged: \S+, \S+\.\nChanged files: a\.txt, b\.txt, c\.txt\.$/);
    expect(left).toMatch(/^Merged: nothing\.\nLeft out .*\n- a\.txt, also changed by HEAD$/s);
    expect([read("a.txt"), read("b.txt"), read("c.txt")]).toEqual(["one\n", "three\n", "c\n"]);
    const [discarded] = await resultsOf(project, runId, "changes_discard");
    expect(discarded).toMatch(/^Discarded \S+; they were [0-9a-f]{40}\.$/);
    expect(git("branch", "--list", "cadre/*")).toBe("");
  });

  test("hears that files in a submodule are not merged, where they are, and why a run has no changes", async () => {
    const project = await createParent([
      spawn("one", "lib/own.txt=1"),
      wait,
      [{ tool: "changes_read", input: { run: "one" } }],
      merge({ runs: ["one"] }),
      [{ tool: "changes_discard", input: { run: "one" } }],
      merge({ runs: ["one"] }),
    ]);
    const { cadre, git } = project;
    git("update-index", "--add", "--cacheinfo", `160000,${git("rev-parse", "HEAD").trim()},lib`);
    git("commit", "--quiet", "--message", "a submodule");
    const { runId } = await cadre.run({ agent: "main", task: "go", mode: "auto" });
    const [read] = await resultsOf(project, runId, "changes_read");
    expect(read).toMatch(
      /^Not in the patch: lib in \S+\/worktrees\/\S+\.\nNothing has changed on /,
    );
    const [left, gone] = await resultsOf(project, runId, "changes_merge");
    expect(left).toMatch(
      /^Merged: nothing\.\nNot merged of \S+: lib, which .* Its files stay in \S+\/worktrees\/\S+ until/,
    );
    expect(gone).toMatch(/The changes of \S+ were discarded: no branch contains them\./);
    const [discarded] = await resultsOf(project, runId, "changes_discard");
    expect(discarded).toMatch(/ lib was in no commit\.$/);
  });

  test("asks for permission as an edit does, and changes nothing without it", async () => {
    for (const mode of ["ask", "plan"] as const) {
      const fixture = await createParent([spawn("one", "a.txt=1"), wait, merge({ runs: ["one"] })]);
      const { cadre, read, project } = fixture;
      project.writeAgent("editor", { isolation: "worktree", tools: ["Write", "Read"] });
      const asked: string[] = [];
      const asking = await project.open({
        trust: true,
        mode,
        onApproval: async ({ tool, title }) => {
          asked.push(title);
          return tool === "changes_merge"
            ? { decision: "deny", reason: "later" }
            : { decision: "allow", scope: "once" };
        },
      });
      const call = { chain: ["main"], call: "changes_merge(one)", workspace: project.folder };
      const { decision } = await explainCall(asking, call);
      expect(decision).toBe(mode === "ask" ? "ask" : "deny");
      const { runId } = await asking.run({ agent: "main", task: "go", mode });
      const [result] = await resultsOf({ ...fixture, cadre: asking }, runId, "changes_merge");
      expect(result).toContain(mode === "ask" ? "later" : "mode plan");
      expect(asked.includes("Merge the changes of one (merge)")).toBe(mode === "ask");
      expect(read("a.txt")).toBe("0\n");
      await cadre.close();
    }
  });

  test("refuses control files, and runs that others started", async () => {
    const fixture = await createParent([
      spawn("config", ".mcp.json=y"),
      wait,
      merge({ runs: ["config"] }),
      merge({ runs: ["config", "nobody"] }),
    ]);
    const { project } = fixture;
    const cadre = await project.open({
      trust: true,
      onApproval: async () => ({ decision: "allow", scope: "once" }),
    });
    const { runId } = await cadre.run({ agent: "main", task: "go", mode: "auto" });
    const results = await resultsOf({ ...fixture, cadre }, runId, "changes_merge");
    expect(results[0]).toMatch(/which an agent may not merge.*cadre merge/s);
    expect(results[1]).toMatch(/no run with the id or the label "nobody"/);
    expect(existsSync(join(project.folder, ".mcp.json"))).toBe(false);
  });

  test("refuses files outside its folder", async () => {
    const fixture = await createParent([spawn("one", "c.txt=1"), wait, merge({ runs: ["one"] })]);
    const { project, commit, read, git } = fixture;
    commit({ "sub/c.txt": "0" });
    const cadre = await project.open({
      trust: true,
      async onApproval({ tool }) {
        if (tool !== "changes_merge") return { decision: "allow", scope: "once" };
        // Something that a program left behind by the sub-agent may do.
        const listed = git("worktree", "list", "--porcelain");
        const [, worktree = ""] = /^worktree (\S+\/worktrees\/\S+)$/m.exec(listed) ?? [];
        writeFileSync(join(worktree, "a.txt"), "outside\n");
        return { decision: "allow", scope: "once" };
      },
    });
    const { runId } = await cadre.run({ agent: "main", task: "go", mode: "ask", cwd: "sub" });
    const [result] = await resultsOf({ ...fixture, cadre }, runId, "changes_merge");
    expect(result).toMatch(/a\.txt is outside of it/);
    expect([read("a.txt"), read("sub/c.txt")]).toEqual(["0\n", "0\n"]);
  });

  test("is offered only to agents whose sub-agents may have worktrees", async () => {
    const fixture = await createGitProject(({ tools }) => tools.join(" "));
    const { project } = fixture;
    const offered = async (): Promise<string> => {
      const cadre = await project.open({ trust: true });
      return (await cadre.run({ agent: "main", task: "what have you" })).text;
    };
    expect(await offered()).toContain("changes_merge");
    project.writeAgent("editor", { tools: ["Write"] });
    expect(await offered()).not.toContain("changes_merge");
  });
});
