import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../command-line.ts";
import { openTerminal } from "../live-terminal.ts";

const script = `
scripts:
  - when: { agent: worker, turn: 0 }
    reply: { text: I look around., calls: [{ tool: LS, input: { path: "." } }] }
  - when: { agent: worker, last: say hi }
    reply: { text: hi from the worker }
  - when: { agent: worker }
    reply: { text: done, delayMs: 3000 }
  - when: { last: delegate }
    reply:
      text: I ask two workers.
      calls:
        - { tool: Agent, input: { type: worker, prompt: count the files } }
        - { tool: Agent, input: { type: worker, prompt: name the folders } }
  - when: { last: write }
    reply: { calls: [{ tool: Write, input: { file_path: note.txt, content: "one\\ntwo\\n" } }] }
  - when: { last: hang }
    reply: { calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - when: { last: markdown }
    reply: { text: "# Title\\n\\nsome **bold** text\\n\\n- item" , reasoning: let me think }
  - when: { last: evil }
    reply: { text: "before \\e]0;owned\\a\\e[2J after" }
  - reply: { text: heard you }
`;

function project(): Project {
  return createProject({ "script.yaml": script, ".cadre/agents/worker.md": agentFile("worker") });
}

const ctrl = (key: string): string => String.fromCharCode(key.charCodeAt(0) - 96);
const escape = "\u001b";

describe.concurrent("a command of the conversation on the screen", () => {
  it("gives a selected agent more time", async () => {
    const place = project();
    const terminal = openTerminal(place, ["chat"]);
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
    const { stdout } = await cadre(place, ["tree", "last", "--json"]);
    const { runs } = JSON.parse(stdout) as { runs: { addedSeconds?: number }[] };
    expect(runs.map(({ addedSeconds }) => addedSeconds)).toContain(300);
  });

  it("lists hooks, trusts the project, and shortens the conversation", async () => {
    const place = createProject({
      "script.yaml": script,
      ".cadre/config.yaml": "hooks: { Stop: [{ hooks: [{ command: echo over }] }] }\n",
    });
    const terminal = openTerminal(place, ["chat"]);
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
    await terminal.shows("about half the length");
    terminal.type("again\r");
    await terminal.shows(/> again\s+heard you/);
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
    const { stdout } = await cadre(place, ["events", "last", "--json"]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ spec: { compact: true } });
  });

  it("changes the mode, the agent and the model between turns, and forks", async () => {
    const place = project();
    const terminal = openTerminal(place, ["chat", "--mode", "plan"]);
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
    await terminal.shows("The next turn uses nonsense:1.");
    terminal.type("hello\r");
    await terminal.shows(/nonsense/);
    terminal.type("/quit\r");
    await terminal.ended;
    expect(existsSync(join(place.path, "note.txt"))).toBe(true);
  });
});
