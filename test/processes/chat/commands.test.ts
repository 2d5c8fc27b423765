import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cadre, type Project } from "../../cli/command-line.ts";
import { gitIn } from "../../fixtures/git/git-in.ts";
import { ctrl, escape } from "../../cli/keys.ts";
import { createChatProject } from "./chat-project.ts";
import { openTerminal } from "../../cli/live-terminal.ts";

const project = (): Project => createChatProject({ workMs: 3000 });

describe.concurrent("a command of the conversation on the screen", () => {
  it("gives a selected agent more time", async () => {
    const fixture = project();
    const terminal = openTerminal(fixture, ["chat"]);
    await terminal.shows("main · /help · mode ask");
    terminal.type("delegate\r");
    await terminal.shows("worker (name the folders)");
    terminal.type(ctrl("t"));
    await terminal.shows("b more budget");
    terminal.type(`${escape}[B`);
    await terminal.shows(/> ├─ . worker \(count the files\)/);
    terminal.type("b");
    await terminal.shows(/\/raise \S+ timeout=300/);
    terminal.type("\r");
    await terminal.shows(/ gets timeout \+300 s\./);
    terminal.type(escape);
    await terminal.shows("main · /help");
    terminal.type("/raise x y=1\r");
    await terminal.shows('got "y=1"');
    terminal.type("/quit\r");
    await terminal.ended;
    const { stdout } = await cadre(fixture, ["tree", "last", "--json"]);
    const { runs } = JSON.parse(stdout) as { runs: { addedSeconds?: number }[] };
    expect(runs.map(({ addedSeconds }) => addedSeconds)).toContain(300);
  });

  it("shows what a sub-agent changed, which is noted at the end of the turn", async () => {
    const script = `scripts:
  - when: { agent: worker, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: new.txt, content: "one\\n" } }] }
  - when: { last: delegate }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: x } }] }
  - reply: { text: heard you }
`;
    const worker = "---\nname: worker\ndescription: d\nisolation: worktree\n---\nYou are worker.\n";
    const files = { "script.yaml": script, ".cadre/agents/worker.md": worker };
    const fixture = createChatProject({ workMs: 0, files });
    rmSync(join(fixture.path, ".git"), { recursive: true });
    const git = gitIn(fixture.path);
    git("init", "--quiet");
    git("add", "script.yaml");
    git("commit", "--quiet", "--message", "first");
    const terminal = openTerminal(fixture, ["chat", "--mode", "auto", "--trust"]);
    await terminal.shows("main · /help");
    terminal.type("delegate\r");
    await terminal.shows(/a sub-agent left changes to merge: `cadre diff \w+` shows them/);
    terminal.type("/diff\r");
    await terminal.shows("+one");
    terminal.type("/quit\r");
    await terminal.ended;
  });

  it("lists hooks, trusts the project, and shortens the conversation", async () => {
    const config = "hooks: { Stop: [{ hooks: [{ command: echo over }] }] }\n";
    const fixture = createChatProject({ workMs: 3000, files: { ".cadre/config.yaml": config } });
    const terminal = openTerminal(fixture, ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("/compact\r");
    await terminal.shows("The conversation has no turn yet.");
    terminal.type("/hooks\r");
    await terminal.shows("There are no hooks");
    terminal.type("/trust\r");
    await terminal.shows("/trust yes trusts this project");
    terminal.type("/trust yes\r");
    await terminal.shows("There are no hooks", "gone");
    await terminal.shows("main · /help");
    terminal.type("/hooks\r");
    await terminal.shows("Stop *: echo over");
    terminal.type("hello\r");
    await terminal.shows("heard you");
    await terminal.shows("main · /help");
    terminal.type("/compact\r");
    await terminal.shows("to about half");
    terminal.type("again\r");
    await terminal.shows(/> again\s+heard you/);
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
    const { stdout } = await cadre(fixture, ["events", "last", "--json"]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ spec: { compact: true } });
  });

  it("changes the mode, the agent and the model between turns, and forks", async () => {
    const fixture = project();
    const terminal = openTerminal(fixture, ["chat", "--mode", "plan"]);
    await terminal.shows("main · /help");
    terminal.type("write it\r");
    await terminal.shows("✗ Write note.txt");
    terminal.type("/mode yolo\r");
    await terminal.shows('got "yolo"');
    terminal.type("/mode auto\r");
    await terminal.shows('got "yolo"', "gone");
    await terminal.shows("main · /help");
    await terminal.shows("> write it");
    terminal.type("write it\r");
    await terminal.shows("✓ Write note.txt");
    terminal.type("/fork once more\r");
    await terminal.shows(/> once more\s+heard you/);
    terminal.type("/runs\r");
    await terminal.shows(/succeeded +1 turn,/);
    terminal.type("/clear\r");
    await terminal.shows("A new conversation begins with the next text.");
    terminal.type("/model nonsense:1\r");
    await terminal.shows('got "nonsense:1"');
    terminal.type("/model anthropic:some-model\r");
    await terminal.shows("The next turn uses anthropic:some-model.");
    await terminal.shows("main · /help · model anthropic:some-model · mode auto");
    terminal.type("hello\r");
    await terminal.shows("ANTHROPIC_API_KEY");
    // The text of the refused turn is in the input again, and no longer above it.
    await terminal.shows(/^hello$/m);
    await terminal.shows("> hello", "gone");
    terminal.type(`${ctrl("c")}/mode ask\r`);
    await terminal.shows("main · /help · model anthropic:some-model · mode ask");
    terminal.type("/quit\r");
    await terminal.ended;
    expect(existsSync(join(fixture.path, "note.txt"))).toBe(true);
  });
});
