import { gitIn } from "../../fixtures/git/git-in.ts";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cadre, createProject, type Project } from "../command-line.ts";

const call = (content: string): string =>
  `reply: { calls: [{ tool: Write, input: { file_path: "new\\u001b[2J.txt", content: "${content}\\n" } }] }`;

const script = `scripts:
  - when: { agent: editor, task: submodule, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: lib/own.txt, content: x } }] }
  - when: { agent: editor, task: nothing }
    reply: { text: nothing }
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: editor, prompt: x } }] }
  - when: { task: delegate twice, turn: 1 }
    reply: { calls: [{ tool: Agent, input: { type: editor, prompt: other } }] }
  - when: { agent: editor, turn: 0, task: other }
    ${call("two")}
  - when: { agent: editor, turn: 0 }
    ${call("one\\u001b[31m")}
  - reply: { text: done }
`;

function project(): Project {
  const editor =
    "---\nname: editor\ndescription: d\nisolation: worktree\ntools: Write\n---\nYou are editor.\n";
  const fixture = createProject({ "script.yaml": script, ".cadre/agents/editor.md": editor });
  rmSync(join(fixture.path, ".git"), { recursive: true });
  const git = gitIn(fixture.path);
  git("init", "--quiet", "--initial-branch", "trunk");
  git("add", "script.yaml");
  git("commit", "--quiet", "--message", "first");
  return fixture;
}

async function edited(): Promise<{ fixture: Project; id: string }> {
  const fixture = project();
  const words = ["run", "editor", "x", "--mode", "auto", "--json"];
  const { stdout } = await cadre(fixture, words);
  return { fixture, id: (JSON.parse(stdout) as { runId: string }).runId };
}

describe.concurrent("the changes of a run in its worktree", () => {
  it("are shown as a patch, as a list, and as JSON", async () => {
    const { fixture, id } = await edited();
    const patch = await cadre(fixture, ["diff", "last"]);
    expect(patch.stdout).toMatch(/^diff --git .*new file mode/s);
    expect(patch.stdout.endsWith("\n+one\u001B[31m\n")).toBe(true);
    execFileSync("git", ["apply", "--check"], { cwd: fixture.path, input: patch.stdout });
    const list = await cadre(fixture, ["diff", id, "--stat"]);
    expect(list.stdout).toBe("added               +1 -0  new\\x1b[2J.txt\n1 file, +1 -0\n");
    const { stdout } = await cadre(fixture, ["diff", id, "script.yaml", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ branch: `cadre/${id}`, files: [], patch: "" });
    expect((await cadre(fixture, ["diff", id, "script.yaml", "--stat"])).stdout).toBe(
      "No changes.\n",
    );
  });

  it("are merged, and are then gone", async () => {
    const { fixture, id } = await edited();
    const tried = await cadre(fixture, ["merge", "last", "--dry-run"]);
    expect(tried.stdout).toMatch(new RegExp(`^Would merge ${id}\\.\n1 file in `));
    const { code, stdout } = await cadre(fixture, ["merge", "last"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Merged ${id}\\.\n1 file in .*; HEAD was \\w{12}\\.\n$`));
    expect(readFileSync(join(fixture.path, "new\u001B[2J.txt"), "utf8")).toContain("one");
    const again = await cadre(fixture, ["merge", "last"]);
    expect([again.code, again.stdout]).toEqual([2, ""]);
    const commit = gitIn(fixture.path)("rev-parse", "--short=12", "HEAD").trim();
    expect(again.stderr).toContain(
      `The changes of ${id} are merged already: commit ${commit}, on trunk.`,
    );
  });

  it("conflict with exit code 1, and the file and whose change it conflicts with are named", async () => {
    const { fixture, id } = await edited();
    await cadre(fixture, ["run", "editor", "other", "--mode", "auto"]);
    const words = ["merge", id, "last", "--strategy", "squash"];
    const { code, stdout, stderr } = await cadre(fixture, words);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`Merged ${id}.`)]);
    expect(stderr).toMatch(
      /^\S+ conflicts:\n {2}new\\x1b\[2J\.txt, also changed by \S+\n.*git merge cadre/,
    );
    expect(stderr).toContain(`also changed by ${id}\n`);
    const again = await cadre(fixture, words);
    expect([again.code, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toContain(`The changes of ${id} are merged already: commit `);
  });

  it("are discarded, and the commit is named", async () => {
    const { fixture, id } = await edited();
    const { stdout } = await cadre(fixture, ["discard", id]);
    const [, commit = ""] = /`git branch NAME (\w+)`/.exec(stdout) ?? [];
    execFileSync("git", ["branch", "back", commit], { cwd: fixture.path });
    const gone = await cadre(fixture, ["diff", id]);
    expect([gone.code, gone.stderr]).toEqual([
      2,
      expect.stringContaining(`The changes of ${id} are merged already: commit `),
    ]);
    execFileSync("git", ["branch", "-D", "back"], { cwd: fixture.path });
    expect((await cadre(fixture, ["merge", id])).stderr).toContain(
      `The changes of ${id} were discarded: no branch contains them.`,
    );
  });

  it("are reported at the end of a run whose sub-agents made them, and listed until they are merged", async () => {
    const fixture = project();
    const run = async (task: string): Promise<string> =>
      (await cadre(fixture, ["run", task, "--mode", "auto", "--trust"])).stderr;
    expect((await cadre(fixture, ["diff"])).stderr).toBe("No changes to merge.\n");
    const [, only = ""] =
      /\na sub-agent left changes to merge: `cadre diff (\w+)` shows them\n/.exec(
        await run("delegate once"),
      ) ?? [];
    expect((await cadre(fixture, ["diff", only])).stdout).toContain("\n+one");
    expect(await run("delegate twice")).toContain(
      "\n2 sub-agents left changes to merge: `cadre diff` lists them\n",
    );
    expect(await run("nothing to do")).not.toContain("to merge");
    const { stdout } = await cadre(fixture, ["diff"]);
    const [titles, ...rows] = stdout.trimEnd().split("\n");
    expect(titles).toMatch(/^RUN +STATUS +AGENT +CREATED +TASK$/);
    expect(rows).toEqual([
      expect.stringMatching(/^\S+ +succeeded +editor .* other$/),
      expect.stringMatching(/^\S+ +succeeded +editor .* x$/),
      expect.stringMatching(new RegExp(`^\\S+-${only} +succeeded +editor .* x$`)),
    ]);
    await cadre(fixture, ["merge", only]);
    await cadre(fixture, ["discard", rows[0]?.split(" ")[0] ?? ""]);
    const left = JSON.parse((await cadre(fixture, ["diff", "--json"])).stdout) as {
      runs: { id: string; task: string }[];
    };
    expect(left.runs.map(({ id, task }) => [id, task])).toEqual([[rows[1]?.split(" ")[0], "x"]]);
    const refused = await cadre(fixture, ["diff", "--stat"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("with --stat")]);
  });

  it("are not merged where they are in a submodule: the exit code is 1, and their place is named", async () => {
    const fixture = project();
    const git = gitIn(fixture.path);
    const head = git("rev-parse", "HEAD").trim();
    git("update-index", "--add", "--cacheinfo", `160000,${head},lib`);
    git("commit", "--quiet", "--message", "a submodule");
    await cadre(fixture, ["run", "editor", "submodule", "--mode", "auto"]);
    const left =
      /^Not in the changes of \S+: lib, which is a submodule or .* Its files are in \S+worktrees\S+: copy and commit what you need, then `cadre discard \S+`\.\n$/;
    const diff = await cadre(fixture, ["diff", "last"]);
    expect(diff).toEqual({ code: 0, stdout: "", stderr: expect.stringMatching(left) });
    for (const more of [["--dry-run"], []]) {
      const merged = await cadre(fixture, ["merge", "last", ...more]);
      expect(merged).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(left) });
    }
    const { code, stderr } = await cadre(fixture, ["discard", "last"]);
    expect([code, stderr]).toEqual([0, "Deleted for good: lib, which was in no commit.\n"]);
  });

  it("are missing because the run changed nothing", async () => {
    const fixture = project();
    const words = ["run", "editor", "nothing", "--mode", "auto"];
    expect((await cadre(fixture, words)).stderr).not.toContain("changes");
    for (const command of ["diff", "merge", "discard"]) {
      const { code, stderr } = await cadre(fixture, [command, "last"]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/; got (\S+)\. \1 changed nothing\./),
      ]);
    }
  });

  it("are refused for a run that has no worktree, and with a wrong strategy", async () => {
    const { fixture } = await edited();
    await cadre(fixture, ["run", "two words"]);
    const { code, stderr } = await cadre(fixture, ["diff", "last"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("isolation: worktree")]);
    const wrong = await cadre(fixture, ["merge", "last", "--strategy", "fast"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("merge, squash, rebase, patch"),
    ]);
  });
});
