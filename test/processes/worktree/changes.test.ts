import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitProject } from "../../fixtures/git/git-project.ts";
import { hang } from "../../fixtures/model-server.ts";

describe("the changes of a run with a worktree", () => {
  test("are committed on its branch at its end, by its agent, with the run's id", async () => {
    const { git, run } = await createGitProject();
    const { runId } = await run("a.txt=1 new/c.txt=2");
    expect(git("log", "-1", "--format=%an%n%B", `cadre/${runId}`)).toBe(
      `editor\na.txt=1 new/c.txt=2\n\nCadre-Run: ${runId}\nCadre-Agent: editor\n\n`,
    );
    expect(git("show", `cadre/${runId}:new/c.txt`)).toBe("2\n");
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
  });

  test("are read as a list and as a patch that git applies", async () => {
    const { cadre, git, run, project, read } = await createGitProject();
    const { runId } = await run("a.txt=1 new/c.txt=2");
    const { files, patch, branch, base } = await cadre.changes.read(runId);
    expect(files).toEqual([
      { path: "a.txt", status: "modified", added: 1, deleted: 1 },
      { path: "new/c.txt", status: "added", added: 1, deleted: 0 },
    ]);
    expect([branch, base]).toEqual([`cadre/${runId}`, git("rev-parse", "HEAD").trim()]);
    expect((await cadre.changes.read(runId, ["new"])).files).toHaveLength(1);
    project.write("x.patch", patch);
    git("apply", "x.patch");
    expect([read("a.txt"), read("new/c.txt")]).toEqual(["1\n", "2\n"]);
  });

  test("are read while it runs", async () => {
    const { cadre } = await createGitProject(({ turn }) =>
      turn === 0 ? [{ tool: "Write", input: { file_path: "new.txt", content: "early" } }] : hang,
    );
    const run = await cadre.spawn({ agent: "editor", task: "x" });
    for await (const event of run.events()) {
      if (event.type === "step-finished" && event.kind === "tool") break;
    }
    expect((await cadre.changes.read(run.id)).patch).toContain("+early");
    await expect(cadre.changes.merge([run.id])).rejects.toThrow(/has ended; .* is running/);
    await expect(cadre.changes.discard(run.id)).rejects.toThrow(/cadre cancel/);
    await run.cancel();
  });

  test("include deletions, links, executable files, and a file in place of a folder", async () => {
    const { cadre, commit, git } = await createGitProject(({ turn }) => {
      const command =
        "rm b.txt && rm -r d && echo f > d && ln -s a.txt link && echo x > run && chmod +x run";
      return turn === 0 ? [{ tool: "Bash", input: { command } }] : "done";
    });
    commit({ "d/inner.txt": "0" });
    const { runId } = await cadre.run({ agent: "editor", task: "x" });
    const { files } = await cadre.changes.read(runId);
    expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      "deleted b.txt",
      "added d",
      "deleted d/inner.txt",
      "added link",
      "added run",
    ]);
    expect(
      git("ls-tree", "-r", `cadre/${runId}`)
        .split("\n")
        .map((line) => line.slice(0, 6)),
    ).toEqual(expect.arrayContaining(["120000", "100755"]));
    await cadre.changes.merge([runId]);
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(git("ls-files").split("\n")).toEqual(["a.txt", "d", "link", "run", ""]);
  });
});

describe("the worktree of an ended run", () => {
  test("is discarded on request; its commit is named", async () => {
    const { cadre, run, git } = await createGitProject();
    const { runId } = await run("a.txt=1");
    const [{ id, commit } = { id: "", commit: "" }] = await cadre.changes.discard(runId);
    expect(id).toBe(runId);
    expect(git("show", `${commit}:a.txt`)).toBe("1\n");
    expect(git("branch", "--list", "cadre/*")).toBe("");
    expect(existsSync(join(cadre.stateFolder, "worktrees", runId))).toBe(false);
  });

  test("is removed by prune, which keeps a branch with commits of its own", async () => {
    const { cadre, run, git } = await createGitProject();
    const { runId } = await run("a.txt=1");
    expect(await cadre.prune(-1)).toMatchObject({ runs: 1, keptWorktrees: [] });
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git("show", `cadre/${runId}:a.txt`)).toBe("1\n");
  });

  test("is not looked for where a journal from elsewhere says", async () => {
    const { cadre, run, project } = await createGitProject();
    const { runId } = await run("a.txt=1");
    const root = join(cadre.stateFolder, "worktrees", runId);
    const moved = join(project.folder, "../moved");
    execFileSync("mv", [root, moved]);
    symlinkSync(moved, root);
    await expect(cadre.changes.merge([runId])).rejects.toThrow();
    expect(existsSync(join(moved, "a.txt"))).toBe(true);
  });
});
