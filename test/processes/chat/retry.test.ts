import { ctrl, escape } from "../../cli/keys.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../../cli/command-line.ts";
import { type LiveTerminal, openTerminal } from "../../cli/live-terminal.ts";

const script = `
scripts:
  - when: { agent: worker, task: mend, turn: 0 }
    reply: { calls: [{ tool: Read, input: { file_path: state.txt } }] }
  - when: { agent: worker, last: is broken }
    reply: { fault: { kind: status, status: 400 } }
  - when: { agent: worker, task: mend }
    reply: { text: mended it }
  - when: { agent: worker }
    reply: { text: late, fault: { kind: hang } }
  - when: { task: check, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: mend the roof } }] }
  - when: { task: check, turn: 1 }
    reply: { calls: [{ tool: Read, input: { file_path: state.txt } }] }
  - when: { task: check, last: is broken }
    reply: { fault: { kind: status, status: 400 } }
  - when: { task: check }
    reply: { text: all is well }
  - when: { last: delegate }
    reply:
      calls:
        - { tool: Agent, input: { type: worker, prompt: mend the roof } }
        - { tool: Agent, input: { type: worker, prompt: watch the roof } }
  - reply: { text: heard you }
`;

function project(): Project {
  return createProject({
    "script.yaml": script,
    "state.txt": "is broken",
    ".cadre/agents/worker.md": agentFile("worker"),
  });
}

/** Begins the turn whose first worker fails while the roof is broken, and whose second worker hangs. */
async function delegate(fixture: Project): Promise<LiveTerminal> {
  const terminal = openTerminal(fixture, ["chat"]);
  await terminal.shows("main · /help");
  terminal.type("delegate\r");
  await terminal.shows("✗ worker (mend the roof)");
  await terminal.shows("worker (watch the roof)");
  return terminal;
}

/** Moves the selection down the tree to a row. */
async function select(terminal: LiveTerminal, down: number, row: RegExp): Promise<void> {
  terminal.type(ctrl("t"));
  await terminal.shows("Enter opens");
  terminal.type(`${escape}[B`.repeat(down));
  await terminal.shows(row);
}

async function leaveTree(terminal: LiveTerminal): Promise<void> {
  terminal.type(escape);
  await terminal.shows("Enter opens", "gone");
}

async function quit(terminal: LiveTerminal): Promise<void> {
  await terminal.shows("main · /help");
  terminal.type("/quit\r");
  await terminal.ended;
}

describe.concurrent("r on a selected agent", () => {
  it("retries an agent that failed, in its family; the main agent gets the result", async () => {
    const fixture = project();
    const terminal = await delegate(fixture);
    writeFileSync(join(fixture.path, "state.txt"), "is sound");
    await select(terminal, 1, /> ├─ ✗ worker \(mend the roof\)/);
    terminal.type("r");
    await terminal.shows(/✓ worker \(#2 mend the roof\) +\[retry of \w+\] mended it/);
    await terminal.shows(/retried as run \w+, whose result goes to its parent/);
    terminal.type(`${escape}[B`);
    await terminal.shows(/> ├─ . worker \(watch the roof\)/);
    terminal.type("x");
    await terminal.shows("■ worker (watch the roof)");
    await leaveTree(terminal);
    await quit(terminal);
    const { stdout } = await cadre(fixture, ["show", "last"]);
    expect(stdout).toMatch(
      /The background run worker \(run \S+\) has ended: succeeded\]\s+mended it/,
    );
  });

  it("refuses an agent that is active, and retries outside the family once the turn has ended", async () => {
    const fixture = project();
    const terminal = await delegate(fixture);
    await select(terminal, 2, /> └─ . worker \(watch the roof\)/);
    terminal.type("r");
    await terminal.shows(/cannot be retried: it has not ended \(running\)/);
    terminal.type("x");
    await terminal.shows(/> └─ ■ worker \(watch the roof\)/);
    await leaveTree(terminal);
    await terminal.shows("main · /help");
    writeFileSync(join(fixture.path, "state.txt"), "is sound");
    // The last row is still selected, and the first one follows it.
    await select(terminal, 2, /> ├─ ✗ worker \(mend the roof\)/);
    terminal.type("r");
    await terminal.shows(/^ {2}✓ worker +\[retry of \w+\] mended it/m);
    await terminal.shows(/retried as run \w+\. Its parent has ended and does not get the result/);
    await leaveTree(terminal);
    await quit(terminal);
    // Runs without a parent, newest first.
    const { stdout } = await cadre(fixture, ["runs", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [{ agent: "worker", result: { text: "mended it" } }, { agent: "main" }],
    });
  });

  it("retries a turn that failed, as the next turn on the screen", async () => {
    const fixture = project();
    const terminal = openTerminal(fixture, ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("check\r");
    await terminal.shows("failed.");
    await terminal.shows("main · /help");
    writeFileSync(join(fixture.path, "state.txt"), "is sound");
    await select(terminal, 0, /> ✗ main/);
    terminal.type("r");
    await terminal.shows("all is well");
    await leaveTree(terminal);
    terminal.type("thanks\r");
    await terminal.shows(/> thanks\s+all is well/);
    await quit(terminal);
    const { stdout } = await cadre(fixture, ["conversations", "--json"]);
    // The retry of a first turn begins a conversation.
    expect(JSON.parse(stdout)).toMatchObject({
      conversations: [{ status: "succeeded", turns: 2 }, { status: "failed" }],
    });
  });
});
