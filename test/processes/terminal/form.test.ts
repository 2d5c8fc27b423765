import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";
import { onTerminal } from "../../cli/on-terminal.ts";
import { readScreen } from "../../cli/screen.ts";
import { mcpServer } from "../../fixtures/process/bundled-program.ts";

const script = `scripts:
  - when: { turn: 0 }
    reply: { calls: [{ tool: mcp__test__survey, input: {} }] }
  - reply: { text: "the server heard {{last}}" }
`;

function project(): Project {
  const fixture = createProject({ "script.yaml": script });
  mkdirSync(join(fixture.home, ".cadre"));
  const config = `extensions: { test: { command: ${process.execPath}, args: [${mcpServer}] } }\n`;
  writeFileSync(join(fixture.home, ".cadre", "config.yaml"), config);
  return fixture;
}

const words = ["run", "serve me", "--mode", "auto"];
const asks = "answer? [y/n/c] ";

describe.concurrent("a parameter that a recipe asks its user for", () => {
  const recipe = `title: Serve
description: Serves
prompt: Serve {{ who }} {{ what }}.
parameters:
  - { key: who, input_type: string, requirement: user_prompt, description: Your name }
  - { key: what, input_type: select, options: [tea, coffee], requirement: user_prompt, description: A drink }
`;
  const place = (): Project =>
    createProject({
      "serve.yaml": recipe,
      "script.yaml": 'scripts: [{ reply: { text: "done {{task}}" } }]',
    });
  const who = "who (string): Your name ";
  const what = "what (tea, coffee): A drink ";

  it("is requested on the terminal, again after an invalid answer", async () => {
    const { code, stdout } = await onTerminal(
      place(),
      ["run", "serve.yaml"],
      [
        [who, "Ada Lovelace\r"],
        [what, "te\r"],
        [what, "tea\r"],
      ],
    );
    expect(code).toBe(0);
    const shown = readScreen(stdout).join("\n");
    expect(shown).toContain("  │ `what`: expected one of `tea`, `coffee`");
    expect(shown).toContain("done Serve Ada Lovelace tea.");
  });

  it("is missing if it is left empty, and Ctrl-C ends the command before a run exists", async () => {
    const empty = await onTerminal(
      place(),
      ["run", "serve.yaml"],
      [
        [who, "\r"],
        [what, "tea\r"],
      ],
    );
    expect(empty.code).toBe(2);
    expect(readScreen(empty.stdout).join("\n")).toContain("`who` (string) is missing: Your name");
    const other = place();
    const cancelled = await onTerminal(other, ["run", "serve.yaml"], [[who, "\u0003"]]);
    expect(cancelled.code).toBe(130);
    const { stdout } = await cadre(other, ["runs", "--all", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ runs: [] });
  });
});

describe.concurrent("a question of an MCP server on a terminal", () => {
  it("is answered field by field, each until its value is valid", async () => {
    const { code, stdout } = await onTerminal(project(), words, [
      [asks, "y"],
      ["1 of 4> ", "Ada Lovelace\r"],
      ["2 of 4> ", "first\r"],
      ["2 of 4> ", "7\r"],
      ["3 of 4> ", "2\r"],
      ["4 of 4> ", "\r"],
    ]);
    expect(code).toBe(0);
    const shown = readScreen(stdout).join("\n");
    expect(shown).toContain("The MCP server test asks you (main called mcp__test__survey):\n");
    expect(shown).toContain("  │ Whom do I serve?\n  │ allow? [y/a/n/r] y\n");
    expect(shown).toContain("  │ name: As on the door [text]\n");
    expect(shown).toContain('  │ expected integer, got "first"\n');
    expect(shown).toContain("  │ 1 tea\n  │ 2 coffee\n");
    // The answer is wrapped between words.
    const [, answer = "{}"] =
      /.*the server heard (\{.*\}\})/.exec(shown.replaceAll("\n", " ")) ?? [];
    expect(JSON.parse(answer)).toMatchObject({
      action: "accept",
      content: { name: "Ada Lovelace", floor: 7, wanted: "coffee" },
    });
  });

  it.each([
    ["declined with n", [[asks, "n"]], "decline"],
    ["left without an answer with c", [[asks, "c"]], "cancel"],
    [
      "given up at Ctrl-D",
      [
        [asks, "y"],
        ["1 of 4> ", "\u0004"],
      ],
      "cancel",
    ],
  ] as const)("is %s", async (_, keys, action) => {
    const typed = keys.map(([text, key]): [string, string] => [text, key]);
    const { code, stdout } = await onTerminal(project(), words, typed);
    expect(code).toBe(0);
    expect(readScreen(stdout).join("\n")).toContain(`"action":"${action}"`);
  });

  it.each([
    ["before it is answered", [[asks, "\u0003"]]],
    [
      "within a field",
      [
        [asks, "y"],
        ["1 of 4> ", "Ada\u0003"],
      ],
    ],
  ] as const)("ends the run at Ctrl-C %s", async (_, keys) => {
    const typed = keys.map(([text, key]): [string, string] => [text, key]);
    const { code, stdout } = await onTerminal(project(), words, typed);
    expect(code).toBe(130);
    expect(readScreen(stdout).join("\n")).toContain("cancelled: 1 run");
  });
});

describe.concurrent("a question of an agent on a terminal", () => {
  const asking = `scripts:
  - when: { agent: asker, turn: 0 }
    reply: { calls: [{ tool: AskUser, input: { questions: [{ question: Which color?, options: [{ label: red, description: warm }, { label: blue }] }] } }] }
  - when: { agent: asker }
    reply: { text: "heard {{last}}" }
  - when: { turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: asker, prompt: ask } }] }
  - reply: { text: "{{last}}" }
`;
  const withAsker = (): Project =>
    createProject({
      "script.yaml": asking,
      ".cadre/agents/asker.md":
        "---\nname: asker\ndescription: asks\ntools: AskUserQuestion\n---\nYou are asker.\n",
    });

  it.each([
    ["with an option", "2\r", "\r", "blue"],
    ["in the user's own words", "\r", "green\r", "green"],
  ])("is answered %s, and says which agent asks", async (_, choice, text, answer) => {
    const { code, stdout } = await onTerminal(
      withAsker(),
      ["run", "serve me"],
      [
        [asks, "y"],
        ["1 of 2> ", choice],
        ["2 of 2> ", text],
      ],
    );
    expect(code).toBe(0);
    const shown = readScreen(stdout).join("\n");
    expect(shown).toContain("The agent main > asker asks you:\n");
    expect(shown).toContain("  │ 1. Which color?\n  │    - red: warm\n  │    - blue\n");
    expect(shown).toContain(`=> ${answer}`);
  });
});
