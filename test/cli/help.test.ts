import { expect, test } from "vitest";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { cadre, createProject } from "./command-line.ts";

test("help lists the commands by purpose, each on one line of 80 columns", async () => {
  const { stdout, code } = await cadre(createProject(), ["--help"]);
  expect(code).toBe(0);
  const headings = stdout.split("\n").filter((line) => /^[A-Z].*:$/.test(line));
  expect(headings).toEqual([
    "Options:",
    "Start work:",
    "Watch:",
    "Steer:",
    "Changes in worktrees:",
    "Agents and recipes:",
    "Servers:",
    "Settings and storage:",
    "Examples:",
  ]);
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(stdout.match(/^ {3,}\S/gm)).toBeNull();
});

test.each([
  [
    ["show"],
    "cadre: Missing required argument 'run': expected the id of a run, the part of it after the dash, or `last`\n",
    "`cadre show --help` lists its arguments and options.\n",
  ],
  [
    ["retry"],
    "cadre: Missing required argument 'run': expected the id of a failed run, the part of it after the dash, or `last`\n",
    "`cadre retry --help` lists its arguments and options.\n",
  ],
  [
    ["completion"],
    "cadre: Missing required argument 'shell': expected the shell: bash, zsh, fish, powershell\n",
    "`cadre completion --help` lists its arguments and options.\n",
  ],
  [
    ["recipe", "show"],
    "cadre: Missing required argument 'recipe': expected ",
    "`cadre recipe --help` lists its arguments and options.\n",
  ],
  [
    ["show", "last", "--nope"],
    "cadre: Unknown option '--nope'\n",
    "`cadre show --help` lists its arguments and options.\n",
  ],
  [
    ["tre", "last"],
    "cadre: Unknown command 'tre'. Did you mean `tree`?\n",
    "`cadre --help` lists the commands.\n",
  ],
  [
    ["steer", "last", "stop"],
    "cadre: Unknown command 'steer'. Did you mean `cadre send`?\n",
    "`cadre --help` lists the commands.\n",
  ],
  [
    ["run", "--modle", "x"],
    "cadre: Unknown option '--modle'. Did you mean one of `--mode`, `--model`?\n",
    "`cadre run --help` lists its arguments and options.\n",
  ],
  [
    ["--modle", "x"],
    "cadre: Unknown option '--modle'. Did you mean one of `--mode`, `--model`?\n",
    "`cadre chat --help` lists its arguments and options.\n",
  ],
  [
    ["help", "tre"],
    "cadre: Unknown command 'tre'. Did you mean `tree`?\n",
    "`cadre --help` lists the commands.\n",
  ],
  [
    ["agents", "main"],
    "got 1: main.\nDid you mean `cadre agents show main`?\n",
    "`cadre agents --help` lists its arguments and options.\n",
  ],
  [
    ["runs", "last"],
    "got 1: last.\nDid you mean `cadre show last`?\n",
    "`cadre runs --help` lists its arguments and options.\n",
  ],
  [
    ["recipe", "list"],
    "cadre: Unknown command 'list'\n`cadre agents` lists them.\n",
    "`cadre recipe --help` lists its arguments and options.\n",
  ],
  [
    ["runs", "ls"],
    "got 1: ls.\n`cadre runs` lists them.\n",
    "`cadre runs --help` lists its arguments and options.\n",
  ],
  [
    ["recipe", "my file.yaml"],
    "cadre: Unknown command 'my file.yaml'\nDid you mean `cadre recipe show \"my file.yaml\"`?\n",
    "`cadre recipe --help` lists its arguments and options.\n",
  ],
  [
    ["runs", "--limit", "abc"],
    "cadre: Option '--limit <count>' argument 'abc' is invalid. ",
    "`cadre runs --help` lists its arguments and options.\n",
  ],
])("a mistake in %j is reported with the way to the help", async (words, message, help) => {
  const { stderr, code } = await cadre(createProject(), words);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr.endsWith(help)).toBe(true);
});

test("each command that takes a run says in the same words how to name it", async () => {
  const described: string[] = [];
  for (const { name, command } of await loadCommands()) {
    for (const argument of [command, ...command.commands].flatMap(
      (one) => one.registeredArguments,
    )) {
      // An error says "expected" and this description.
      if (argument.required) expect(argument.description, name).not.toMatch(/^its /);
      if (argument.name() !== "run") continue;
      described.push(name);
      expect(argument.description, name).toMatch(
        /^the id of a .*run.*, the part of it after the dash, or `last`/,
      );
    }
  }
  expect(described.length).toBeGreaterThan(15);
});

test("options of a conversation without its name say that they need a terminal", async () => {
  for (const words of [["-c"], ["--mode", "auto"]]) {
    const { code, stderr } = await cadre(createProject({}), words);
    expect(code).toBe(2);
    expect(stderr).toContain("Expected a terminal for cadre chat.");
  }
});

/** Loads every command. */
async function loadCommands(): Promise<{ name: string; command: Command }[]> {
  const names = (await createProgram([], () => undefined)).commands.map((one) => one.name());
  expect(names.length).toBeGreaterThan(30);
  const { commands } = await createProgram(names, () => undefined);
  return commands.map((command) => ({ name: command.name(), command }));
}

test("the help of every command fits 80 columns", async () => {
  for (const { name } of await loadCommands()) {
    const help = await cadre(createProject(), [name, "--help"]);
    const long = help.stdout.split("\n").filter((line) => line.length > 80);
    expect(long, name).toEqual([]);
  }
});
