import { describe, expect, it } from "vitest";
import { createProject, type Project } from "../../cli/command-line.ts";
import { openTerminal } from "../../cli/live-terminal.ts";

const script = `
scripts:
  - reply: { text: "before\\n\\n\`\`\`ts\\nconst a = \\e]0;owned\\a1;\\e[2J // &#27;[2J\\n\`\`\`\\n\\nafter" }
`;

function project(): Project {
  return createProject({ "script.yaml": script });
}

const magenta = 5;

describe.concurrent("code in an answer", () => {
  it("is highlighted, and controls no terminal", async () => {
    const terminal = openTerminal(project(), ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("go\r");
    await terminal.shows("after");
    expect(terminal.lines().join("\n")).toMatch(
      /before\s+```ts\s+const a = 1; \/\/ &#27;\[2J\s+```\s+after/,
    );
    expect(terminal.colorOf("const")).toBe(magenta);
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
  });

  it("has no colour where NO_COLOR is set", async () => {
    const fixture = project();
    const terminal = openTerminal(
      { ...fixture, environment: { ...fixture.environment, NO_COLOR: "1" } },
      ["chat"],
    );
    await terminal.shows("main · /help");
    terminal.type("go\r");
    await terminal.shows("after");
    expect(terminal.colorOf("const")).toBeUndefined();
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
  });
});
