import { ctrl, escape } from "../../cli/keys.ts";
import { describe, expect, it } from "vitest";
import { agentFile, createProject, type Project } from "../../cli/command-line.ts";
import { type LiveTerminal, openTerminal } from "../../cli/live-terminal.ts";

const parts = Array.from({ length: 100 }, (_, index) => index);
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}\\n`).join("");
const task = (part: number): string => `Review the file src/components/part-${part}.ts and report`;

const script = `
scripts:
  - when: { agent: worker, task: look first, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: a.txt, content: "${lines(60)}" } }] }
  - when: { agent: worker, task: look second, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: b.txt, content: "x" } }] }
  - when: { agent: worker, task: look }
    reply: { text: done }
  - when: { agent: worker }
    reply: { text: "done at last", delayMs: 600000 }
  - when: { last: a hundred }
    reply:
      calls:
${parts.map((part) => `        - { tool: Agent, input: { type: worker, prompt: "${task(part)}" } }`).join("\n")}
  - when: { last: two }
    reply:
      calls:
        - { tool: Agent, input: { type: worker, prompt: look first } }
        - { tool: Agent, input: { type: worker, prompt: look second } }
  - when: { last: plan }
    reply:
      calls:
        - tool: TodoWrite
          input:
            todos:
              - { content: read it, status: completed }
              - { content: change it, status: in_progress, activeForm: changing it }
  - when: { last: ask me }
    reply: { calls: [{ tool: AskUser, input: { questions: [{ question: "Which colour?" }] } }] }
  - reply: { text: heard you }
`;

function project(): Project {
  return createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
    ".cadre/config.yaml": "limits: { children: 200, concurrency: 200 }\n",
  });
}

const keys = { up: `${escape}[A`, pageUp: `${escape}[5~` };
const small = { rows: 24, columns: 80 };

/** Returns the rows of the tree that show a run. */
function treeRows(terminal: LiveTerminal): string[] {
  return terminal.lines().filter((line) => /^[> ] *[├└]─ [^…]/.test(line));
}

describe("a hundred sub-agents on 80 columns", { timeout: 240_000 }, () => {
  it("have rows that differ, can all be selected, and cost little", async () => {
    const terminal = openTerminal(project(), ["chat", "--trust"], small);
    await terminal.shows("main · /help");
    terminal.type("a hundred\r");
    await terminal.shows("101 runs,");
    await terminal.shows("worker (…part-0.ts and report)");
    const names = treeRows(terminal).map((line) => /\((.*?)\)/.exec(line)?.[1]);
    expect(names.length).toBeGreaterThan(3);
    expect(new Set(names).size).toBe(names.length);
    terminal.type(ctrl("t"));
    await terminal.shows("1 of 101");
    terminal.type(keys.up);
    await terminal.shows("101 of 101");
    await terminal.shows(/> └─ . worker \(…part-99\.ts/);
    terminal.type(keys.up);
    await terminal.shows(/> ├─ . worker \(…part-98\.ts/);
    terminal.type("\r");
    await terminal.shows(task(98));
    terminal.type(escape);
    await terminal.shows(/● Agent worker: .*part-99/);
    terminal.resize(16, 60);
    await terminal.shows(/└─ … \d+ running/);
    expect(terminal.lines().every((line) => line.length <= 60)).toBe(true);
    terminal.resize(24, 80);
    await terminal.shows("101 runs,");
    expect(terminal.lines().filter((line) => line.startsWith("───"))).toHaveLength(2);
    const seconds = secondsOf(terminal);
    const [from, to] = [seconds + 2, seconds + 12];
    await terminal.shows(`working ${from} s`);
    const before = terminal.cpuMs();
    await terminal.shows(new RegExp(`working ${to}|${to + 1} s`));
    // This is 3 % of a core.
    expect(terminal.cpuMs() - before).toBeLessThan(0.03 * 10_000);
    terminal.type(ctrl("c"));
    await terminal.shows("interrupted by the user");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(130);
  });
});

/** Returns the number of seconds that the turn has worked. */
function secondsOf(terminal: LiveTerminal): number {
  return Number(/working (\d+) s/.exec(terminal.lines().join("\n"))?.[1]);
}

describe.concurrent("a small screen", { timeout: 120_000 }, () => {
  it("shows a long question with its keys, the number of questions, and the tree", async () => {
    const terminal = openTerminal(project(), ["chat", "--trust", "--mode", "ask"], small);
    await terminal.shows("main · /help");
    terminal.type("two\r");
    await terminal.shows("2 questions wait for your answer");
    await terminal.shows("allow? [y/a/p/n/r/v]");
    await terminal.shows("main > worker asks to use Write:");
    await terminal.shows("worker (look first)");
    if (terminal.lines().join("\n").includes("b.txt")) {
      terminal.type("y");
    } else {
      await terminal.shows("more lines, which v shows");
      terminal.type("v");
      await terminal.shows("line 59");
      await terminal.shows("allow? [y/a/p/n/r/v]");
      terminal.type(keys.up.repeat(3));
      await terminal.shows("line 59", "gone");
      terminal.type("y");
    }
    await terminal.shows("1 question waits for your answer");
    await terminal.shows("allow? [y/a/p/n/r/v]");
    terminal.type("y");
    await terminal.shows("heard you");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
  });

  it("takes what was typed before it was ready, and shows the end after one has scrolled", async () => {
    const terminal = openTerminal(project(), ["chat", "--trust"], small);
    // A busy machine may show both states at once.
    await terminal.shows(/opening …|main · \/help/);
    terminal.type("plan\r");
    await terminal.shows("✓ TodoWrite 1 of 2 done, now: changing it");
    await terminal.shows("[x] read it");
    await terminal.shows("[>] change it");
    await terminal.shows("heard you");
    terminal.type("/help\r");
    await terminal.shows("In the tree:");
    terminal.type(keys.pageUp);
    await terminal.shows("↓ more below");
    terminal.type("ask me\r");
    await terminal.shows("AskUser Which colour?");
    await terminal.shows("answer? [y/n/c]");
    terminal.type("z");
    await terminal.shows(/^answer\? \[y\/n\/c\] z$/m);
    terminal.type("y");
    await terminal.shows("1 of 1>");
    expect(terminal.lines().filter((line) => line.startsWith("answer?"))).toHaveLength(1);
    terminal.type("blue\r");
    await terminal.shows("heard you");
    terminal.type("/resume ");
    await terminal.shows(/→ \w+\s+plan/);
    terminal.type(`${ctrl("c")}/runs\r`);
    await terminal.shows(/\d\d:\d\d:\d\d {2}succeeded {2}2 turns/);
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
  });
});
