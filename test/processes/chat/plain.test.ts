import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../../cli/command-line.ts";
import { onTerminal } from "../../cli/on-terminal.ts";
import { readScreen } from "../../cli/screen.ts";
import { png } from "./png.ts";

function project(): Project {
  return createProject({
    "script.yaml": "scripts:\n  - reply: { text: heard you }\n",
    ".cadre/agents/worker.md": agentFile("worker"),
  });
}

describe.concurrent("cadre chat --plain", () => {
  it("executes each line as a turn of one conversation, and continues it later", async () => {
    const fixture = project();
    writeFileSync(join(fixture.path, "dot.png"), png);
    const { code, stdout } = await onTerminal(
      fixture,
      ["chat", "worker", "--plain"],
      [
        ["you> ", "first\r"],
        ["you> ", "second @dot.png\r"],
        ["you> ", "/quit\r"],
      ],
    );
    expect(code).toBe(0);
    const shown = readScreen(stdout).join("\n");
    expect(shown).toContain("heard you");
    expect(shown.split("[continues ")).toHaveLength(2);
    // Nothing is redrawn.
    expect(stdout).not.toContain("\u001b[1A");
    expect(shown).toMatch(/s {2}worker started: first/);
    expect(shown).toContain("Continue with: cadre chat --continue=");
    const shownTurn = await cadre(fixture, ["show", "last", "--json"]);
    expect(JSON.parse(shownTurn.stdout)).toMatchObject({
      spec: { images: [{ mediaType: "image/png" }] },
    });
    const later = await onTerminal(
      fixture,
      ["--continue", "--plain"],
      [
        ["you> ", "third\r"],
        ["you> ", "\u0004"],
      ],
    );
    expect(readScreen(later.stdout).join("\n")).toContain("[continues ");
    const { stdout: listed } = await cadre(fixture, ["conversations", "--json"]);
    const { conversations } = JSON.parse(listed) as { conversations: unknown[] };
    expect(conversations).toHaveLength(1);
  });

  it("asks the user in the middle of a turn, without notifications", async () => {
    const fixture = project();
    fixture.environment["TERM_PROGRAM"] = "iTerm.app";
    fixture.write(
      "script.yaml",
      'scripts:\n  - when: { turn: 0 }\n    reply: { calls: [{ tool: Bash, input: { command: "touch made" } }] }\n  - reply: { text: made it }\n',
    );
    const { code, stdout } = await onTerminal(
      fixture,
      ["chat", "worker", "--plain", "--mode", "ask", "--sandbox", "off"],
      [
        ["you> ", "go\r"],
        ["allow? [y/a/p/n/r/v] ", "y"],
        ["you> ", "/quit\r"],
      ],
    );
    expect(code).toBe(0);
    expect(readScreen(stdout).join("\n")).toContain("made it");
    expect(existsSync(join(fixture.path, "made"))).toBe(true);
    expect(stdout).not.toContain("\u0007");
    expect(stdout).not.toContain("\u001b]9");
  });

  it("continues after a turn that the user cancelled with Ctrl-C", async () => {
    const fixture = project();
    fixture.write(
      "script.yaml",
      "scripts:\n  - when: { last: wait }\n    reply: { text: late, fault: { kind: hang } }\n  - reply: { text: heard you }\n",
    );
    const { code, stdout } = await onTerminal(
      fixture,
      ["chat", "worker", "--plain"],
      [
        ["you> ", "hello\r"],
        ["you> ", "wait\r"],
        ["[continues ", "\u0003"],
        ["you> ", "again\r"],
        ["you> ", "/quit\r"],
      ],
    );
    expect(readScreen(stdout).join("\n")).toContain("cancelled by the user");
    expect(code).toBe(0);
    const { stdout: listed } = await cadre(fixture, ["runs", "--json"]);
    const { runs } = JSON.parse(listed) as { runs: { status: string }[] };
    expect(runs.map(({ status }) => status)).toEqual(["succeeded", "cancelled", "succeeded"]);
  });

  it("ends with an error when the agent is unknown", async () => {
    const { code, stdout } = await onTerminal(
      project(),
      ["chat", "nobody", "--plain"],
      [["you> ", "hello\r"]],
    );
    expect(code).not.toBe(0);
    expect(stdout).toContain("nobody");
  });

  it("needs a terminal, and refuses an agent with --continue", async () => {
    const without = await cadre(project(), ["chat"]);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain("Expected a terminal for cadre chat");
    const both = await cadre(project(), ["chat", "worker", "--continue"]);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain("Expected an agent or --continue; got both.");
  });
});
