import { gitIn } from "../../fixtures/git/git-in.ts";
import { expect, it } from "vitest";
import { agentFile, cadre, createProject } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

const script = `scripts:
  - when: { turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: note.txt, content: "one" } }] }
  - reply: { fault: { kind: hang } }
`;

it("the changes of a run whose process was killed are merged after `cadre resume`, as the refusal says", async () => {
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/editor.md": agentFile("editor").replace(
      "\n---\n",
      "\nisolation: worktree\n---\n",
    ),
  });
  const git = gitIn(project.path);
  git("init", "--quiet");
  git("add", "script.yaml");
  git("commit", "--quiet", "--message", "first");
  const { child, ended, printed } = start(project, ["run", "editor", "go", "--mode", "auto"]);
  await printed("editor started");
  const events = async (): Promise<string> =>
    (await cadre(project, ["events", "last", "--json"])).stdout;
  while (!/step-finished.*tool\/1/.test(await events()));
  const alive = await cadre(project, ["merge", "last"]);
  expect(alive.stderr).toContain("is running and works in the worktree. Wait for it, or end it");
  child.kill("SIGKILL");
  await ended;
  for (const command of ["merge", "discard"]) {
    const { code, stderr } = await cadre(project, [command, "last"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /works in the worktree\. Its process is gone: continue it with `cadre resume (\S+)`, or end it with `cadre cancel \1`\./,
    );
  }
  project.write("script.yaml", "scripts: [{ reply: { text: done } }]\n");
  const [, id = ""] =
    /cadre resume (\S+)`/.exec((await cadre(project, ["merge", "last"])).stderr) ?? [];
  expect((await cadre(project, ["resume", id, "--mode", "auto"])).code).toBe(0);
  git("checkout", "--quiet", "script.yaml");
  expect((await cadre(project, ["merge", "last"])).stdout).toContain("1 file in");
});
