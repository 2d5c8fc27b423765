import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitProject, writeFiles } from "../../fixtures/git/git-project.ts";
import { agentCall } from "../../fixtures/model-server.ts";

describe("a merge", () => {
  test("takes a run over into HEAD and the working tree, and removes its worktree and branch", async () => {
    const { cadre, git, run, read, commit } = await createGitProject();
    const { runId } = await run("a.txt=1");
    commit({ "b.txt": "mine" });
    const before = git("rev-parse", "HEAD").trim();
    const report = await cadre.changes.merge([runId]);
    expect(report).toMatchObject({ before, merged: [runId], conflicts: [], files: ["a.txt"] });
    expect([read("a.txt"), read("b.txt")]).toEqual(["1\n", "mine\n"]);
    expect(git("log", "-1", "--format=%s")).toBe(`Merge cadre/${runId}: a.txt=1\n`);
    expect(git("log", "-1", "--format=%an %ae %P")).toMatch(
      new RegExp(`^Ada ada@example\\.org ${before} \\w{40}\n$`),
    );
    expect(git("branch", "--list", "cadre/*")).toBe("");
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(git("fsck", "--no-dangling")).toBe("");
    await expect(cadre.changes.read(runId)).rejects.toThrow(/merged already/);
  });

  test("squashes, replays, or leaves the changes uncommitted", async () => {
    const { cadre, git, run, read, commit } = await createGitProject();
    const [squashed, rebased, patched] = [
      await run("a.txt=1 s.txt=s"),
      await run("r.txt=r"),
      await run("p.txt=p"),
    ];
    commit({ "b.txt": "mine" });
    await cadre.changes.merge([squashed.runId], { strategy: "squash" });
    await cadre.changes.merge([rebased.runId], { strategy: "rebase" });
    expect(git("log", "--format=%an: %s", "--first-parent").split("\n")).toEqual([
      "editor: r.txt=r",
      "Ada: a.txt=1 s.txt=s",
      "A: mine",
      "A: mine",
      "",
    ]);
    expect(git("log", "--merges", "--format=%H")).toBe("");
    await cadre.changes.merge([patched.runId], { strategy: "patch" });
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("A  p.txt\n");
    expect([read("s.txt"), read("r.txt"), read("p.txt")]).toEqual(["s\n", "r\n", "p\n"]);
    expect(git("branch", "--list", "cadre/*")).toContain(patched.runId);
  });

  test("of several runs leaves out as few as possible, and names the files and who changed them", async () => {
    const { cadre, run, read, git, commit } = await createGitProject();
    const wide = await run("a.txt=wide b.txt=wide");
    const left = await run("a.txt=left");
    const right = await run("b.txt=right");
    commit({ "own.txt": "1" });
    const ids = [wide.runId, left.runId, right.runId];
    const tried = await cadre.changes.merge(ids, { dryRun: true });
    expect(git("branch", "--list", "cadre/*").trim().split("\n")).toHaveLength(3);
    expect(read("a.txt")).toBe("0\n");
    const report = await cadre.changes.merge(ids);
    expect(report.merged).toEqual(tried.merged);
    expect(report.merged).toEqual([left.runId, right.runId]);
    expect(report.conflicts).toEqual([
      {
        id: wide.runId,
        files: [
          { path: "a.txt", changedBy: [left.runId] },
          { path: "b.txt", changedBy: [right.runId] },
        ],
      },
    ]);
    expect([read("a.txt"), read("b.txt")]).toEqual(["left\n", "right\n"]);
    expect(git("branch", "--list", "cadre/*")).toContain(wide.runId);
  });

  test("that conflicts with commits of the user names HEAD", async () => {
    const { cadre, run, commit, read } = await createGitProject();
    const { runId } = await run("a.txt=1");
    commit({ "a.txt": "mine" });
    for (const strategy of ["merge", "squash", "rebase", "patch"] as const) {
      const { merged, conflicts } = await cadre.changes.merge([runId], { strategy });
      expect(merged).toEqual([]);
      expect(conflicts).toEqual([{ id: runId, files: [{ path: "a.txt", changedBy: ["HEAD"] }] }]);
    }
    expect(read("a.txt")).toBe("mine\n");
  });

  test("takes over the runs below a run without a worktree", async () => {
    const { cadre, project, read } = await createGitProject((turn) => {
      if (turn.agent === "editor") return writeFiles(turn);
      if (turn.turn > 0) return "done";
      return [agentCall("editor", "x.txt=x"), agentCall("editor", "y.txt=y")].flat();
    });
    project.writeAgent("editor", { isolation: "worktree", tools: ["Write"] });
    const { runId } = await cadre.run({ agent: "main", task: "go" });
    await expect(cadre.changes.read(runId)).rejects.toThrow(/there are several/);
    const { merged } = await cadre.changes.merge([runId]);
    expect(merged).toHaveLength(2);
    expect([read("x.txt"), read("y.txt")]).toEqual(["x\n", "y\n"]);
  });

  test("changes nothing when local changes are in the way, and leaves others alone", async () => {
    const { cadre, run, project, read, git } = await createGitProject();
    const { runId } = await run("a.txt=1 new.txt=1");
    project.write("a.txt", "local\n");
    const head = git("rev-parse", "HEAD");
    await expect(cadre.changes.merge([runId])).rejects.toThrow(
      /^Local changes in .* are in the way of the merge: those in a\.txt\. Nothing was merged\. Commit or stash them first\.$/,
    );
    project.write("a.txt", "0\n");
    project.write("new.txt", "untracked\n");
    await expect(cadre.changes.merge([runId])).rejects.toThrow(/: those in new\.txt\. Nothing/);
    expect([git("rev-parse", "HEAD"), read("new.txt")]).toEqual([head, "untracked\n"]);
    project.write("b.txt", "local\n");
    git("clean", "-fq", "new.txt");
    await cadre.changes.merge([runId]);
    expect([read("a.txt"), read("b.txt")]).toEqual(["1\n", "local\n"]);
  });

  test("names every file with local changes in its way, up to ten", async () => {
    const { cadre, run, project, git, read, commit } = await createGitProject();
    commit({ "staged.txt": "0", "same.txt": "0", "gone.txt": "0", "c.txt": "0" });
    const names = ["a", "b", "c", "staged", "same", "gone", "new", "d/new"];
    const { runId } = await run(names.map((name) => `${name}.txt=1`).join(" "));
    project.write("a.txt", "local\n");
    project.write("staged.txt", "local\n");
    project.write("same.txt", "1\n");
    git("add", "staged.txt", "same.txt");
    rmSync(join(project.folder, "gone.txt"));
    project.write("new.txt", "untracked\n");
    project.write(".gitignore", "d\n");
    project.write("d/new.txt", "ignored\n");
    await expect(cadre.changes.merge([runId])).rejects.toThrow(
      /: those in a\.txt, d\/new\.txt, new\.txt, staged\.txt\. Nothing was merged/,
    );
    for (const path of ["a.txt", "staged.txt"]) project.write(path, "0\n");
    git("add", "staged.txt");
    for (const path of ["new.txt", "d/new.txt"]) rmSync(join(project.folder, path));
    await cadre.changes.merge([runId]);
    expect(names.map((name) => read(`${name}.txt`))).toEqual(names.map(() => "1\n"));
    const many = Array.from({ length: 12 }, (_, index) => `many/${10 + index}.txt`);
    const { runId: wide } = await run(many.map((path) => `${path}=1`).join(" "));
    for (const path of many) project.write(path, "untracked\n");
    await expect(cadre.changes.merge([wide])).rejects.toThrow(
      /: those in many\/10\.txt, .*many\/19\.txt and 2 more\. Nothing/,
    );
  });

  test("that was interrupted before HEAD changed is completed by the same command", async () => {
    const { cadre, run, project, read, git } = await createGitProject();
    const { runId } = await run("a.txt=1 new.txt=1");
    const lock = join(project.folder, ".git/refs/heads/trunk.lock");
    writeFileSync(lock, "");
    await expect(cadre.changes.merge([runId])).rejects.toThrow(/trunk\.lock/);
    expect([read("a.txt"), git("log", "--format=%s")]).toEqual(["1\n", "mine\n"]);
    rmSync(lock);
    await cadre.changes.merge([runId]);
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(git("show", "HEAD:new.txt")).toBe("1\n");
  });

  test("of what HEAD has already adds no commit, as after a kill before the worktree was removed", async () => {
    for (const strategy of ["merge", "squash", "rebase"] as const) {
      const { cadre, run, git } = await createGitProject();
      const { runId } = await run("a.txt=1");
      await cadre.changes.merge([runId], { strategy, keep: true });
      const head = git("rev-parse", "HEAD");
      const report = await cadre.changes.merge([runId], { strategy });
      expect(report).toMatchObject({ merged: [runId], conflicts: [], files: [] });
      expect(git("rev-parse", "HEAD")).toBe(head);
      expect(git("branch", "--list", "cadre/*")).toBe("");
    }
  });

  test("names runs whose changes are gone, and completes the removal of their worktrees", async () => {
    const { cadre, run, git, read } = await createGitProject();
    const [{ runId: first }, { runId: second }] = [await run("a.txt=1"), await run("b.txt=2")];
    const folder = join(cadre.stateFolder, "worktrees", first);
    const { merged } = await cadre.changes.merge([first], { keep: true });
    expect(merged).toEqual([first]);
    // The state after a kill between two steps of the removal.
    renameSync(folder, `${folder}.removed`);
    expect(git("branch", "--list", "cadre/*")).toContain(first);
    await expect(cadre.changes.merge([first], { dryRun: true })).rejects.toThrow(
      /are merged already: commit \w{12}, on trunk\./,
    );
    expect(existsSync(`${folder}.removed`)).toBe(true);
    const report = await cadre.changes.merge([first, second]);
    const gone = { id: first, reason: "merged", branches: ["trunk"] };
    expect(report).toMatchObject({ merged: [second], gone: [gone], files: ["b.txt"] });
    expect([read("a.txt"), read("b.txt")]).toEqual(["1\n", "2\n"]);
    expect(git("branch", "--list", "cadre/*")).toBe("");
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(existsSync(`${folder}.removed`)).toBe(false);
  });

  test("is refused during an unfinished merge, for files with a filter, and for runs without changes", async () => {
    const { cadre, run, project, git, commit } = await createGitProject();
    const { runId } = await run("a.txt=1 big.bin=2");
    project.write(".git/MERGE_HEAD", git("rev-parse", "HEAD"));
    await expect(cadre.changes.merge([runId])).rejects.toThrow(/MERGE_HEAD/);
    git("merge", "--quit");
    commit({ ".gitattributes": "*.bin filter=lfs" });
    await expect(cadre.changes.merge([runId])).rejects.toThrow(
      /Merge with: git merge --squash cadre\//,
    );
    await expect(cadre.changes.merge([])).rejects.toThrow(/at least one run/);
    const { runId: plain } = await cadre.run({ agent: "main", task: "p.txt=1" });
    await expect(cadre.changes.merge([plain])).rejects.toThrow(/isolation: worktree/);
    await expect(cadre.changes.merge(["nope"])).rejects.toThrow(/no run nope/);
  });

  test("executes no hook and no filter, and names files that can raise rights", async () => {
    const { cadre, run, project, git, read } = await createGitProject();
    const mark = join(project.folder, "../executed");
    const trap = (path: string): void => {
      const file = join(project.folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\ntouch ${mark}\ncat\n`);
      chmodSync(file, 0o755);
    };
    const hooks = ["pre-merge-commit", "post-merge", "post-checkout", "reference-transaction"];
    for (const hook of [...hooks, "post-index-change", "pre-commit"]) trap(`.git/hooks/${hook}`);
    trap("trap.sh");
    git("config", "core.fsmonitor", join(project.folder, "trap.sh"));
    git("config", "filter.t.smudge", join(project.folder, "trap.sh"));
    const { runId } = await run("a.txt=1");
    await cadre.changes.read(runId);
    const root = join(cadre.stateFolder, "worktrees", runId);
    mkdirSync(join(root, ".claude"));
    writeFileSync(join(root, ".claude/settings.json"), "{}");
    const { controlFiles } = await cadre.changes.merge([runId]);
    expect(controlFiles).toEqual([".claude/settings.json"]);
    expect([read("a.txt"), existsSync(mark)]).toEqual(["1\n", false]);
  });

  test("keeps a worktree with content that cannot be committed", async () => {
    const { cadre, run, read } = await createGitProject(({ turn }) => {
      const command = "git init -q own && echo z > own/z && echo 1 > a.txt";
      return turn === 0 ? [{ tool: "Bash", input: { command } }] : "done";
    });
    const { runId, warnings } = await run("x");
    expect(warnings.join()).toContain("own/");
    const { left } = await cadre.changes.merge([runId]);
    const root = join(cadre.stateFolder, "worktrees", runId);
    expect(left).toEqual([{ id: runId, folder: root, paths: ["own/"] }]);
    expect(read("a.txt")).toBe("1\n");
    expect(existsSync(join(root, "own/z"))).toBe(true);
    expect((await cadre.prune(-1)).keptWorktrees).toEqual([root]);
  });
});
