import { gitIn } from "../../fixtures/git/git-in.ts";
import { expect, it } from "vitest";
import { agentFile, cadre, createProject } from "../../cli/command-line.ts";
import { onTerminal } from "../../cli/on-terminal.ts";

it("cadre show names the earlier answer of the user that allows a call", async () => {
  const project = createProject({
    "script.yaml": `scripts:
  - when: { turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: touch made } }] }
  - when: { turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: touch made } }] }
  - reply: { text: done }
`,
    ".cadre/config.yaml": "permissions: { mode: ask }\nsandbox: off\n",
  });
  await onTerminal(project, ["run", "--trust", "twice"], [["allow? [y/a/p/n/r/v] ", "a"]]);
  const { stdout: events } = await cadre(project, ["events", "last", "--json"]);
  const calls = events
    .split("\n")
    .filter((line) => line.includes("step-started") && line.includes("permission"));
  expect(calls.at(-1)).toContain('"grant":"always"');
  const { stdout } = await cadre(project, ["show", "last"]);
  expect(stdout).toContain(
    "   allowed by an earlier answer: always\n     ask    mode ask of the configuration\n",
  );
});

it("cadre diff writes no control characters of a file or its name to a terminal", async () => {
  const content = "one\\u001b[31m\\n";
  const project = createProject({
    "script.yaml": `scripts:
  - when: { turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: "new\\u001b[2J.txt", content: "${content}" } }] }
  - reply: { text: done }
`,
    ".cadre/agents/editor.md": agentFile("editor").replace(
      "\n---\n",
      "\nisolation: worktree\n---\n",
    ),
  });
  const git = gitIn(project.path);
  git("init", "--quiet");
  git("add", "script.yaml");
  git("commit", "--quiet", "--message", "first");
  expect((await cadre(project, ["run", "editor", "x", "--mode", "auto"])).code).toBe(0);
  const { stdout } = await onTerminal(project, ["diff", "last"]);
  expect(stdout).toContain("+one\\x1b[31m");
  expect(stdout).not.toContain("one\u001B[31m");
  expect(stdout).not.toContain("\u001B[2J");
});
