import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "./command-line.ts";
import { onTerminal } from "./on-terminal.ts";
import { readScreen } from "./screen.ts";

function project(): Project {
  return createProject({
    "script.yaml": "scripts:\n  - reply: { text: heard you }\n",
    ".cadre/agents/worker.md": agentFile("worker"),
  });
}

describe.concurrent("cadre chat", () => {
  it("executes each line as a turn of one conversation, and goes on with it later", async () => {
    const place = project();
    const { code, stdout } = await onTerminal(
      place,
      ["chat", "worker"],
      [
        ["you> ", "first\r"],
        ["you> ", "second\r"],
        ["you> ", "/quit\r"],
      ],
    );
    expect(code).toBe(0);
    const shown = readScreen(stdout).join("\n");
    expect(shown).toContain("heard you");
    expect(shown.split("[continues ")).toHaveLength(2);
    expect(shown).toContain("Go on with: cadre chat --continue=");
    const later = await onTerminal(
      place,
      ["chat", "--continue"],
      [
        ["you> ", "third\r"],
        ["you> ", "\u0004"],
      ],
    );
    expect(readScreen(later.stdout).join("\n")).toContain("[continues ");
    const { stdout: listed } = await cadre(place, ["conversations", "--json"]);
    const { conversations } = JSON.parse(listed) as { conversations: unknown[] };
    expect(conversations).toHaveLength(1);
  });

  it("ends with an error when the agent is unknown", async () => {
    const { code, stdout } = await onTerminal(
      project(),
      ["chat", "nobody"],
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
