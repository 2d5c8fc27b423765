import { gitIn } from "../../fixtures/git/git-in.ts";
import { startLibraryProcess } from "../../fixtures/process/start-library-process.ts";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import type { Cadre, RunResult } from "../../../src/index.ts";
import {
  agentCall,
  hang,
  type ModelServer,
  type ServerReply,
  type ServerTurn,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

interface Fixture {
  project: ModelProject;
  server: ModelServer;
  git(...words: readonly string[]): string;
}

/** Writes its task into `note.txt` and repeats the result of a read. */
function edit({ turn, task, last }: ServerTurn): ServerReply {
  if (turn === 0) return [{ tool: "Write", input: { file_path: "src/note.txt", content: task } }];
  return `done: ${last.join()}`;
}

/** Creates a repository with one commit, and agents with their own worktrees. */
async function open(script: (turn: ServerTurn) => ServerReply = edit): Promise<Fixture> {
  const server = await startModelServer(script);
  const project = createModelProject(server);
  const git = gitIn(project.folder);
  git("init", "--quiet", "--initial-branch", "trunk");
  project.write("src/code.txt", "one\n");
  git("add", "src");
  git("commit", "--quiet", "--message", "first");
  project.writeAgent("editor", {
    isolation: "worktree",
    tools: ["Read", "Write", "Agent", "Bash"],
  });
  project.writeAgent("helper", { tools: ["Write"] });
  return { project, server, git };
}

async function run(cadre: Cadre, task: string): Promise<RunResult> {
  return await (await cadre.spawn({ agent: "editor", task })).result();
}

/** Returns the worktree that a result names. */
function worktreeOf({ warnings }: RunResult): string {
  const [, root = ""] =
    /^Its changes are on the branch .*, in the worktree (\S+): /.exec(warnings.join()) ?? [];
  return root;
}

describe("an agent with `isolation: worktree`", () => {
  test("works in its own worktree, which is kept and named if something changed there", async () => {
    const { project, git } = await open();
    const cadre = await project.open({ trust: true });
    const results = await Promise.all([run(cadre, "left"), run(cadre, "right")]);
    expect(results.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
    const notes = results.map((one) => readFileSync(join(worktreeOf(one), "src/note.txt"), "utf8"));
    expect(notes).toEqual(["left", "right"]);
    expect(existsSync(join(project.folder, "src/note.txt"))).toBe(false);
    for (const result of results) {
      expect(result.warnings).toEqual([
        `Its changes are on the branch cadre/${result.runId} (commits: 1), in the worktree ${worktreeOf(result)}: \`cadre diff ${result.runId}\`, \`cadre merge ${result.runId}\`.`,
      ]);
    }
    expect(git("branch", "--list", "cadre/*").trim().split("\n")).toHaveLength(2);
  });

  test("continues in its worktree in the next turn of a conversation", async () => {
    const { project, git } = await open(({ last }) => {
      const write = (content: string): ServerReply => [
        { tool: "Write", input: { file_path: "src/note.txt", content } },
      ];
      if (last[0] === "first") return write("one\n");
      return last[0] === "second"
        ? [{ tool: "Bash", input: { command: "cat src/note.txt; echo two >> src/note.txt" } }]
        : last.join();
    });
    const cadre = await project.open({ trust: true });
    const first = await cadre.spawn({ agent: "editor", task: "first" });
    const before = await first.result();
    const second = await first.continue("second");
    const after = await second.result();
    expect(after.text).toContain("one");
    expect(readFileSync(join(worktreeOf(before), "src/note.txt"), "utf8")).toBe("one\ntwo\n");
    expect(after.warnings.join()).toContain(`on the branch cadre/${first.id} (commits: 2)`);
    expect(git("branch", "--list", "cadre/*").trim().split("\n")).toHaveLength(1);
    const { merged } = await cadre.changes.merge([first.id, second.id]);
    expect(merged).toHaveLength(1);
    expect(readFileSync(join(project.folder, "src/note.txt"), "utf8")).toBe("one\ntwo\n");
    const third = await second.continue("third");
    expect((await third.result()).status).toBe("succeeded");
  });

  inThisProcess("The result is read from the journal, before the worker removes the worktree.")(
    "leaves no worktree if it changed nothing",
    async () => {
      const { project, git } = await open(() => "nothing to do");
      const cadre = await project.open({ trust: true });
      expect((await run(cadre, "look")).warnings).toEqual([]);
      expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
      expect(git("branch", "--list", "cadre/*")).toBe("");
    },
  );

  test("keeps its commits, even if no file differs", async () => {
    const { project, git } = await open(({ turn }) => {
      const command = "git -c user.name=A -c user.email=a@example.org commit --allow-empty -qm own";
      return turn === 0 ? [{ tool: "Bash", input: { command } }] : "done";
    });
    const cadre = await project.open({ trust: true });
    const { runId, warnings } = await run(cadre, "commit");
    expect(warnings.join()).toContain("(commits: 1)");
    expect(git("log", "-1", "--format=%s", `cadre/${runId}`)).toBe("own\n");
  });

  test("cannot execute anything outside its permissions through files it leaves in a submodule", async () => {
    const { project, git } = await open(({ turn }) => {
      const command = `git init -q sub && cd sub && echo z > z && git add z
git config filter.trap.clean "sh -c 'touch ../../executed; cat'"
echo '* filter=trap' > .gitattributes; echo y > z`;
      return turn === 0 ? [{ tool: "Bash", input: { command } }] : "done";
    });
    const head = git("rev-parse", "HEAD").trim();
    git("update-index", "--add", "--cacheinfo", `160000,${head},sub`);
    git("commit", "--quiet", "--message", "a submodule");
    const result = await run(await project.open({ trust: true }), "lay a trap");
    expect(existsSync(join(worktreeOf(result), "../executed"))).toBe(false);
    expect(result.warnings.join()).toMatch(
      /^Its worktree .* was kept\. Not committed, .*: sub\. Copy /,
    );
  });

  test("shares it with its children, and the result for its parent names it", async () => {
    const { project } = await open((turn) => {
      if (turn.agent === "helper") return edit(turn);
      const next = turn.agent === "main" ? "editor" : "helper";
      return turn.turn === 0 ? [agentCall(next, `for ${next}`)] : `heard: ${turn.last.join()}`;
    });
    const cadre = await project.open({ trust: true });
    const { text: resultText } = await (await cadre.spawn({ agent: "main", task: "go" })).result();
    const [, root = ""] = /, in the worktree (\S+): /.exec(resultText) ?? [];
    expect(readFileSync(join(root, "src/note.txt"), "utf8")).toBe("for helper");
    expect(existsSync(join(project.folder, "src/note.txt"))).toBe(false);
  });

  test("starts a retry in a new one, from the state of the repository at that time", async () => {
    let isBroken = true;
    const { project, git } = await open((turn) => {
      if (turn.turn > 0 && isBroken) return [{ tool: "Write", input: {} }];
      return turn.turn === 0
        ? [{ tool: "Read", input: { file_path: "src/code.txt" } }]
        : `saw ${turn.last.join()}`;
    });
    project.writeAgent("editor", { isolation: "worktree", max_turns: 2 });
    const cadre = await project.open({ trust: true });
    const failed = await run(cadre, "look");
    expect(failed.status).toBe("failed");
    isBroken = false;
    project.write("src/code.txt", "two\n");
    git("commit", "--quiet", "--all", "--message", "second");
    const retried = await (await cadre.retry(failed.runId)).result();
    expect(retried.text).toContain("two");
    // A worker removes it after the end of the run.
    const isRemoved = (): void =>
      expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    await vi.waitFor(isRemoved, { timeout: 60_000, interval: 50 });
  });

  test("continues in it after kill -9", async () => {
    let isResumed = false;
    const { project, server } = await open((turn) => {
      if (turn.turn === 0) return edit(turn);
      return isResumed ? "finished" : hang;
    });
    project.writeAgent("main", { isolation: "worktree" });
    const first = startLibraryProcess(project, "spawn");
    await server.hung(1);
    first.kill("SIGKILL");
    await once(first, "exit");
    isResumed = true;
    expect((await text(startLibraryProcess(project, "resume").stdout)).split("\n")).toContain(
      '"succeeded"',
    );
    const cadre = await project.open();
    const [{ result } = { result: null }] = await cadre.runs();
    expect(readFileSync(join(worktreeOf(result as RunResult), "src/note.txt"), "utf8")).toBe("go");
  });

  test("needs no trusted folder, because creating one executes nothing", async () => {
    const { project } = await open();
    const { status, warnings } = await run(await project.open(), "untrusted");
    expect(status).toBe("succeeded");
    expect(warnings.join()).toContain("(commits: 1)");
  });

  test("is refused without a repository", async () => {
    const { project } = await open();
    rmSync(join(project.folder, ".git"), { recursive: true });
    const cadre = await project.open({ trust: true });
    await expect(cadre.spawn({ agent: "editor", task: "x" })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("is not in a git repository"),
    });
  });

  test("works in a linked worktree and in a submodule as well", async () => {
    const { project, git } = await open();
    const linked = join(project.folder, "../linked");
    git("worktree", "add", "--quiet", linked);
    const allow = ["-c", "protocol.file.allow=always"];
    git(...allow, "submodule", "--quiet", "add", project.folder, "inner");
    for (const cwd of [linked, join(project.folder, "inner")]) {
      const agentFiles = [join(project.folder, ".cadre/agents/editor.md")];
      const result = await run(await project.open({ cwd, agentFiles, trust: true }), "elsewhere");
      expect(readFileSync(join(worktreeOf(result), "src/note.txt"), "utf8")).toBe("elsewhere");
    }
  });

  test("leaves a worktree that git itself recognises", async () => {
    const { project, git } = await open();
    const result = await run(await project.open({ trust: true }), "x");
    const root = worktreeOf(result);
    expect(git("worktree", "list", "--porcelain")).toContain(`worktree ${root}\n`);
    expect(git("-C", root, "status", "--porcelain")).toBe("");
    expect(git("-C", root, "branch", "--show-current")).toBe(`cadre/${result.runId}\n`);
    git("worktree", "remove", "--force", root);
    expect(git("fsck", "--no-dangling")).toBe("");
  });

  test("fails in a repository without a commit", async () => {
    const { project, git } = await open();
    rmSync(join(project.folder, ".git"), { recursive: true });
    git("init", "--quiet");
    const { failure } = await run(await project.open({ trust: true }), "x");
    expect(failure).toMatchObject({
      code: "tool-unavailable",
      message: expect.stringMatching(/Expected a commit .* `git commit`/),
    });
  });
});
