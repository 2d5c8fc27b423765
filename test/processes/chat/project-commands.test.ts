import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../../cli/command-line.ts";
import { openTerminal } from "../../cli/live-terminal.ts";
import { onTerminal } from "../../cli/on-terminal.ts";
import { readScreen } from "../../cli/screen.ts";

const recipe = `version: 1.0.0
title: review
description: Reviews a folder
prompt: Review {{ target }} for {{ focus }}.
parameters:
  - { key: target, input_type: string, requirement: required, description: a folder }
  - { key: focus, input_type: string, requirement: user_prompt, description: what for }
`;

const script = `
scripts:
  - when: { last: Review src for bugs }
    reply: { text: the recipe answers }
  - when: { last: The state is on a branch }
    reply: { text: the command answers }
  - when: { last: dawdle }
    reply: { calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - reply: { text: heard you }
`;

function project(): Project {
  return createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
    ".cadre/recipes/review.yaml": recipe,
    ".cadre/recipes/help.yaml": recipe.replace("title: review", "title: help"),
    ".claude/commands/state.md":
      "---\ndescription: Says how things are\nargument-hint: [what]\n---\nThe state is !`echo on a branch`: $ARGUMENTS",
  });
}

describe.concurrent("commands of the project in the chat", () => {
  it("are in the help and among the proposals, and ask for what is missing", async () => {
    const fixture = project();
    const terminal = openTerminal(fixture, ["chat", "worker", "--trust"], { rows: 45 });
    await terminal.shows("worker · /help");
    terminal.type("/help\r");
    await terminal.shows(/\/state \[what\] +Says how things are/);
    await terminal.shows("/recipe:help target=…");
    terminal.type("/rev");
    await terminal.shows("target=… [focus=…] [TEXT] — Reviews a folder");
    terminal.type("iew\r");
    await terminal.shows("- target=…  a folder");
    terminal.type("/review target=src\r");
    await terminal.shows("focus (string): what for");
    terminal.type("bugs\r");
    await terminal.shows("the recipe answers");
    await terminal.shows("worker · /help");
    terminal.type("and now?\r");
    await terminal.shows("heard you");
    terminal.type("/nothing\r");
    await terminal.shows("There is no /nothing. /help lists the commands.");
    terminal.type("/etc/hosts is wrong\r");
    await terminal.shows(/> \/etc\/hosts is wrong\s+heard you/);
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
    const { stdout } = await cadre(fixture, ["runs", "--json"]);
    const { runs } = JSON.parse(stdout) as { runs: { agent: string }[] };
    expect(runs.map(({ agent }) => agent)).toEqual(["worker", "worker", "review"]);
  });

  it("run their commands as calls of the agent, with a question", async () => {
    const terminal = openTerminal(project(), ["chat", "--mode", "ask", "--trust"]);
    await terminal.shows("main · /help");
    terminal.type("/state of the tests\r");
    await terminal.shows("main asks to use Bash:");
    await terminal.shows("allow? [y/a/p/n/r/v]");
    terminal.type("y");
    await terminal.shows("the command answers");
    await terminal.shows("✓ Bash echo on a branch");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
  });

  it("are refused during a turn, and after a recipe the conversation is with main", async () => {
    const fixture = project();
    await cadre(fixture, ["run", "review", "--param", "target=src", "--param", "focus=bugs"]);
    const terminal = openTerminal(fixture, ["chat", "-c", "--mode", "auto", "--trust"]);
    await terminal.shows("the recipe answers");
    terminal.type("/review target=src focus=bugs\r");
    await terminal.shows(/the recipe answers[^]+the recipe answers/);
    terminal.type("dawdle\r");
    await terminal.shows("Bash sleep 60");
    terminal.type("/state\r");
    await terminal.shows("Expected /state between two turns.");
    terminal.type("\u001b");
    await terminal.shows("cancelled");
    terminal.type("/quit\r");
    await terminal.ended;
    const { stdout } = await cadre(fixture, ["runs", "--json"]);
    const { runs } = JSON.parse(stdout) as { runs: { agent: string }[] };
    expect(runs.map(({ agent }) => agent)).toEqual(["main", "review", "review"]);
  });

  it("are taken line by line too", async () => {
    const { code, stdout } = await onTerminal(
      project(),
      ["chat", "worker", "--plain", "--mode", "auto"],
      [
        ["you> ", "/review target=src focus=bugs\r"],
        ["you> ", "/nothing\r"],
        ["you> ", "/state\r"],
        ["you> ", "and now?\r"],
        ["you> ", "/quit\r"],
      ],
    );
    expect(code).toBe(0);
    const shown = readScreen(stdout).join("\n");
    expect(shown).toContain("the recipe answers");
    expect(shown).toContain(
      "There is no /nothing. The commands are /quit, /state, /help, /review.",
    );
    expect(shown).toContain("runs commands, and its folder is not trusted");
    expect(shown).toMatch(/heard you/);
  });
});
