import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentFile, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";
import { onTerminal } from "../../cli/on-terminal.ts";
import { readScreen } from "../../cli/screen.ts";

const calls = Array.from(
  { length: 60 },
  (_, index) => `{ tool: Agent, input: { type: worker, prompt: job ${index} 漢字漢字漢字 } }`,
);
const script = `scripts:
  - when: { task: fan out, turn: 0 }
    reply: { calls: [${calls.join(", ")}] }
  - when: { task: two steps, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: first } }] }
  - when: { task: two steps }
    reply: { fault: { kind: hang } }
  - when: { task: ask, turn: 0 }
    reply:
      calls:
        - { tool: Agent, input: { type: worker, prompt: run it } }
        - { tool: Agent, input: { type: worker, prompt: run it too } }
  - when: { task: run it, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "echo yes > answer\\n\\e[1A\\e[2Ky = yes" } }] }
  - when: { agent: worker }
    reply: { text: "done with {{task}}", delayMs: 200 }
  - reply: { text: all done }
`;

function project(): Project {
  const fixture = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
  });
  // The user's own configuration, because a project's cannot raise a limit before it is trusted.
  mkdirSync(join(fixture.home, ".cadre"));
  writeFileSync(join(fixture.home, ".cadre", "config.yaml"), "limits:\n  children: 100\n");
  return fixture;
}

describe.concurrent("on a terminal of 80x24", () => {
  it("draws a tree that fits, folds the rest, and leaves the final tree", async () => {
    const { code, stdout } = await onTerminal(project(), ["run", "fan out", "now"]);
    expect(code).toBe(0);
    const frames = stdout.split("\u001b[?2026h").length;
    expect(frames).toBeGreaterThan(3);
    // A screen that has to be cleared flickers.
    expect(stdout).not.toContain("\u001b[2J");
    expect(stdout).toContain("queued");
    const lines = readScreen(stdout).filter((line) => line.trim() !== "");
    expect(lines.length).toBeLessThan(8);
    const shown = lines.join("\n");
    expect(shown).toMatch(/✓ main {2}all done .* 61 runs 62 turns .* tok .*s\n/);
    expect(shown).toMatch(/\n61 runs, 62 turns, .* tokens in, .* out, cost .*\n/);
    expect(shown).toContain("└─ … 60 finished\n");
    expect(shown).toContain("all done\n");
    expect(shown).toContain("succeeded: 61 runs");
  });

  it("also shows and counts runs that had ended before a resume", async () => {
    const fixture = project();
    const first = start(fixture, ["run", "two steps"]);
    await first.printed("worker succeeded");
    first.child.kill("SIGKILL");
    await first.ended;
    fixture.write("script.yaml", "scripts: [{ reply: { text: came through } }]\n");
    const { stdout } = await onTerminal(fixture, ["resume", "last"]);
    const shown = readScreen(stdout).join("\n");
    expect(shown).toMatch(/✓ main {2}came through .* 2 runs 3 turns .*\n└─ ✓ worker /);
    expect(shown).toMatch(/\n2 runs, 3 turns, /);
  });

  it("writes no colour with NO_COLOR", async () => {
    const fixture = project();
    fixture.environment["NO_COLOR"] = "1";
    const { stdout } = await onTerminal(fixture, ["run", "hello", "there"]);
    expect(stdout).toContain("✓ main");
    expect(stdout.replaceAll("\u001b", "<")).not.toMatch(/<\[\d+m/);
  });

  it("shows every detail in its questions, one after another, and acts on the answers", async () => {
    const fixture = project();
    const { code, stdout } = await onTerminal(
      fixture,
      ["run", "ask", "me", "--mode", "ask", "--sandbox", "off"],
      [
        ["allow? [y/a/p/n/r/v] ", "y"],
        ["allow? [y/a/p/n/r/v] ", "r"],
        ["reason: ", "not twice\r"],
      ],
    );
    expect(code).toBe(0);
    const shown = readScreen(stdout).join("\n");
    expect(shown).toContain("main > worker asks to use Bash:\n");
    expect(shown).toContain("  │ echo yes > answer\n  │ \\x1b[1A\\x1b[2Ky = yes\n");
    expect(shown).toContain("allow? [y/a/p/n/r/v] y");
    expect(shown).toContain("reason: not twice");
    expect(shown).toContain("succeeded: 3 runs");
  });

  it("does not ask the same again after `always`, even for runs that waited already", async () => {
    const { code, stdout } = await onTerminal(
      project(),
      ["run", "ask", "me", "--mode", "ask", "--sandbox", "off"],
      [["allow? [y/a/p/n/r/v] ", "a"]],
    );
    expect(code).toBe(0);
    expect(stdout.split("allow? [y/a/p/n/r/v] ")).toHaveLength(2);
  });

  it("cancels at Ctrl-C during a question", async () => {
    const { code, stdout } = await onTerminal(
      project(),
      ["run", "ask", "me", "--mode", "ask", "--sandbox", "off"],
      [["allow? [y/a/p/n/r/v] ", "\u0003"]],
    );
    expect(code).toBe(130);
    expect(readScreen(stdout).join("\n")).toContain("cancelled: 3 runs");
  });
});
