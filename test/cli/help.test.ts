import { expect, test } from "vitest";
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
    "cadre: Missing required argument 'run': expected the id of a run, or `last`\n",
    "`cadre show --help` lists its arguments and options.\n",
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

test("options of a conversation without its name say that they need a terminal", async () => {
  for (const words of [["-c"], ["--mode", "auto"]]) {
    const { code, stderr } = await cadre(createProject({}), words);
    expect(code).toBe(2);
    expect(stderr).toContain("Expected a terminal for cadre chat.");
  }
});

test("the help of every command fits 80 columns", async () => {
  const { stdout } = await cadre(createProject(), ["--help"]);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(30);
  for (const name of names.filter((one) => one !== "cadre" && one !== "help")) {
    const help = await cadre(createProject(), [name, "--help"]);
    const long = help.stdout.split("\n").filter((line) => line.length > 80);
    expect(long, name).toEqual([]);
  }
});
