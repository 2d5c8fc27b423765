import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitProject, type GitProject, writeFiles } from "../../fixtures/git/git-project.ts";
import { agentCall } from "../../fixtures/model-server.ts";

async function listed({ cadre }: GitProject, id?: string): Promise<string[]> {
  return (await cadre.changes.list(id)).map((run) => run.id);
}

/** Creates a project whose agent commits its work itself, as one without a sandbox can. */
async function createCommitting(): Promise<GitProject> {
  const who = "-c user.name=B -c user.email=b@example.org";
  const command = `echo 1 > own.txt && git add own.txt && git ${who} commit -qm 'by the agent'`;
  return await createGitProject(({ turn }) =>
    turn === 0 ? [{ tool: "Bash", input: { command } }] : "done",
  );
}

describe("the list of runs with unmerged changes", () => {
  test("has every run until it is merged or discarded, the newest first", async () => {
    const project = await createGitProject();
    const { cadre, commit, git, run } = project;
    expect(await listed(project)).toEqual([]);
    const [merged, patched, kept, byHand, dropped] = [
      await run("m.txt=1"),
      await run("p.txt=1"),
      await run("k.txt=1"),
      await run("h.txt=1"),
      await run("d.txt=1"),
    ].map(({ runId }) => runId);
    await run("b.txt=0");
    const all = [dropped, byHand, kept, patched, merged];
    expect(await listed(project)).toEqual(all);
    await cadre.changes.merge([merged ?? ""]);
    await cadre.changes.merge([kept ?? ""], { keep: true });
    git("merge", "--quiet", "--no-edit", `cadre/${byHand}`);
    await cadre.changes.discard(dropped ?? "");
    await cadre.changes.merge([patched ?? ""], { strategy: "patch" });
    expect(await listed(project)).toEqual([patched]);
    git("reset", "--quiet", "--hard");
    git("checkout", "--quiet", "--detach", "trunk~3");
    commit({ "b.txt": "elsewhere" });
    expect(await listed(project)).toEqual([byHand, kept, patched]);
  });

  test("has the runs below one run only, when it is named", async () => {
    const project = await createGitProject((turn) => {
      if (turn.agent === "editor") return writeFiles(turn);
      return turn.turn === 0
        ? [agentCall("editor", "x.txt=x"), agentCall("editor", "y.txt=y")]
        : "done";
    });
    project.project.writeAgent("editor", { isolation: "worktree", tools: ["Write", "Read"] });
    const { runId: alone } = await project.run("a.txt=1");
    const { runId: root } = await project.cadre.run({ agent: "main", task: "go" });
    const children = (await project.cadre.tree(root)).slice(1).map(({ id }) => id);
    expect(new Set(await listed(project, root))).toEqual(new Set(children));
    expect(await listed(project, children[0])).toEqual([children[0]]);
    expect(await listed(project, alone)).toEqual([alone]);
    expect(await listed(project)).toHaveLength(3);
    await expect(project.cadre.changes.list("nope")).rejects.toThrow(/no run nope/);
  });

  test("has the worktree of a conversation once, and names its turn when that is named", async () => {
    const project = await createGitProject();
    const first = await project.cadre.spawn({ agent: "editor", task: "a.txt=1" });
    await first.result();
    const second = await first.continue("c.txt=2");
    await second.result();
    expect(await listed(project, second.id)).toEqual([second.id]);
    expect(await listed(project)).toEqual([first.id]);
  });

  test("has a run whose repository cannot be read, so that it is not forgotten", async () => {
    const project = await createGitProject();
    const { runId } = await project.run("a.txt=1");
    mkdirSync(join(project.cadre.stateFolder, "worktrees", "evals"), { recursive: true });
    const git = join(project.project.folder, ".git");
    renameSync(git, `${git}.moved`);
    expect(existsSync(git)).toBe(false);
    expect(await listed(project)).toEqual([runId]);
  });
});

describe("a run without changes says why", () => {
  test("names the commit and the branches that its changes are merged into, with every strategy", async () => {
    for (const create of [createGitProject, createCommitting]) {
      for (const strategy of ["merge", "squash", "rebase"] as const) {
        const { cadre, commit, git, run } = await create();
        const { runId } = await run("a.txt=1");
        commit({ "b.txt": "mine" });
        await cadre.changes.merge([runId], { strategy });
        git("branch", "release");
        const head = git("rev-parse", "HEAD").trim();
        commit({ "b.txt": "later" });
        const gone = await cadre.changes.merge([runId]).catch((error: unknown) => String(error));
        expect(gone).toContain(
          `The changes of ${runId} are merged already: commit ${head.slice(0, 12)}, on release, trunk.`,
        );
      }
    }
  });

  test("finds the merge of a run whose worktree came from that of its parent", async () => {
    const project = await createGitProject((turn) => {
      if (turn.agent === "editor") return writeFiles(turn);
      if (turn.agent === "boss" && turn.turn === 0) return [agentCall("editor", "x.txt=x")];
      if (turn.agent !== "boss" || turn.turn > 1) return "done";
      const [child] = readdirSync(join(project.cadre.stateFolder, "worktrees"))
        .toSorted()
        .slice(-1);
      return [{ tool: "changes_merge", input: { runs: [child] } }];
    });
    const { cadre } = project;
    project.project.writeAgent("boss", { isolation: "worktree" });
    const { runId } = await cadre.run({ agent: "boss", task: "go", mode: "auto" });
    const [, child] = await cadre.tree(runId);
    await cadre.changes.merge([runId]);
    await expect(cadre.changes.read(child?.id ?? "")).rejects.toThrow(
      /are merged already: commit \w{12}, on trunk\./,
    );
  });

  test("tells discarded changes from none, and each of several runs", async () => {
    const { cadre, run } = await createGitProject();
    const [{ runId: none }, { runId: dropped }, { runId: there }] = [
      await run("b.txt=0"),
      await run("a.txt=1"),
      await run("c.txt=1"),
    ];
    await cadre.changes.discard(dropped);
    const { gone } = await cadre.changes.merge([none, dropped, there]);
    expect(gone).toEqual([
      { id: none, reason: "unchanged" },
      { id: dropped, reason: "discarded" },
    ]);
    const message = `${none} changed nothing. \`cadre diff\` lists`;
    await expect(cadre.changes.discard(none)).rejects.toThrow(message);
    await expect(cadre.changes.read(dropped)).rejects.toThrow(
      `The changes of ${dropped} were discarded: no branch contains them.`,
    );
  });
});
