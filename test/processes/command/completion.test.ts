import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Argument, Command, Option } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { isInstalled } from "../../fixtures/process/is-installed.ts";
import { valueSource } from "../../../src/cli/completion/list-values.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { agentFile, cadre, createProject, node, type Project } from "../../cli/command-line.ts";
import { commandFile } from "../../cli/start-command.ts";

let project: Project;

beforeAll(async () => {
  project = createProject({
    ".cadre/agents/code-reviewer.md": agentFile("code-reviewer"),
    ".cadre/recipes/tidy.yaml":
      "version: 1.0.0\ntitle: Tidy\ndescription: Tidies up\nprompt: Tidy.\n",
    "script.yaml": "scripts: [{ reply: { text: done } }]\n",
    "notes/a b.md": "",
    "$(touch executed)": "",
  });
  const command = project.write("bin/cadre", `#!/bin/sh\nexec "${node}" "${commandFile}" "$@"\n`);
  await promisify(execFile)("chmod", ["+x", command]);
  project.environment["PATH"] = `${project.path}/bin:${project.environment["PATH"] ?? ""}`;
  await cadre(project, ["run", "code-reviewer", "look at it"]);
});

/** Returns the lines that `cadre complete` writes for `words`, without descriptions. */
async function complete(...words: string[]): Promise<string[]> {
  const { stdout, code } = await cadre(project, ["complete", "--", ...words]);
  expect(code).toBe(0);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "");
}

describe("the words of a command line are completed", () => {
  test("by commands and their subcommands", async () => {
    expect(await complete("sho")).toEqual(["show", ":none"]);
    expect(await complete("recipe", "r")).toEqual(["render", ":none"]);
    expect(await complete("comple")).toEqual(["completion", ":none"]);
  });

  test("by options that are not given yet, and by the values of an option", async () => {
    expect(await complete("run", "--mod")).toEqual(["--model", "--mode", ":none"]);
    expect(await complete("run", "--mode", "ask", "--mod")).toEqual(["--model", ":none"]);
    expect(await complete("run", "--mode", "a")).toEqual(["ask", "accept-edits", "auto", ":none"]);
    expect(await complete("run", "--mode=au")).toEqual(["--mode=auto", ":none"]);
    expect(await complete("runs", "--status", "f")).toEqual(["failed", ":none"]);
    expect(await complete("convert", "x", "--to", "cop")).toEqual(["copilot", ":none"]);
    expect(await complete("run", "--cwd", "")).toEqual([":folders"]);
  });

  test("by agents, recipes and files", async () => {
    expect(await complete("run", "code-r")).toEqual(["code-reviewer", ":files"]);
    expect(await complete("run", "code-reviewer", "co")).toEqual([":files"]);
    expect(await complete("run", "--agent", "code-r")).toEqual(["code-reviewer", ":files"]);
    expect(await complete("agents", "show", "code-r")).toEqual(["code-reviewer", ":files"]);
    expect(await complete("recipe", "show", "")).toEqual(["tidy", ":files"]);
  });

  test("by runs, with their tasks", async () => {
    const { stdout } = await cadre(project, ["complete", "--", "show", ""]);
    expect(stdout).toMatch(/^last\t[^]*^\w+-\w+\tsucceeded: look at it$[^]*^:none$/m);
  });

  test("by nothing where the words before are wrong, or a broken configuration hides the agents", async () => {
    expect(await complete("nonsense", "--what", "x")).toEqual([":none"]);
    expect(await complete("run", "--", "--mod")).toEqual([":files"]);
    const broken = createProject({ ".cadre/config.yaml": "model: [" });
    const { code, stdout } = await cadre(broken, ["complete", "--", "run", "--mode", "pl"]);
    expect([code, stdout]).toEqual([0, "plan\t\n:none\n"]);
  });
});

test("every argument and option of every command has a source of values", async () => {
  const names = (await createProgram([], () => undefined)).commands.map((one) => one.name());
  const program = await createProgram(names, () => undefined);
  const commands: Command[] = [...program.commands];
  for (const command of commands) commands.push(...command.commands);
  const expected: (Argument | Option)[] = [
    ...commands.flatMap((command) => command.registeredArguments),
    ...commands.flatMap((command) => command.options.filter(({ required }) => required)),
  ];
  expect(expected.length).toBeGreaterThan(30);
  const missing = expected.filter((one) => valueSource(one) === undefined);
  expect(missing.map((one) => one.name())).toEqual([]);
});

/** Executes `text` in a shell after the script that `cadre completion` prints for that shell. */
async function inShell(
  shell: string,
  flags: readonly string[],
  text: string,
  before = "",
): Promise<string[]> {
  const { stdout: script } = await cadre(project, ["completion", shell]);
  const options = { cwd: project.path, env: project.environment };
  const done = await promisify(execFile)(
    shell,
    [...flags, "-c", `${before}\n${script}\n${text}`],
    options,
  );
  return done.stdout.split("\n").filter((line) => line !== "");
}

describe("the script of a shell", () => {
  test("completes in bash, executes nothing, and quotes what needs it", async () => {
    const bash = async (...words: string[]): Promise<string[]> => {
      const quoted = words.map((word) => `'${word}'`).join(" ");
      const call = `COMP_WORDS=(cadre ${quoted}); COMP_CWORD=${words.length}; _cadre`;
      return await inShell("bash", ["--norc"], `${call}; printf '%s\\n' "\${COMPREPLY[@]}"`);
    };
    expect(await bash("sho")).toEqual(["show"]);
    expect(await bash("run", "code-r")).toEqual(["code-reviewer"]);
    // Bash divides words at "=", and replaces what is behind it.
    expect(await bash("run", "--mode", "=", "au")).toEqual(["auto"]);
    expect(await bash("check", "notes/a")).toEqual(["notes/a b.md"]);
    expect(await bash("run", "$(touch done)", "$(touch done)no")).toEqual([]);
    expect(await bash("check", "do")).toEqual([]);
  });

  test.skipIf(!isInstalled("zsh"))("completes in zsh", async () => {
    // The completion system works only on a terminal. These functions replace its own.
    const system =
      'compdef() {}; compadd() { print -l -- $values }; _files() { print -- files "$@" }';
    const zsh = async (words: string): Promise<string[]> =>
      await inShell("zsh", ["-f"], `words=(cadre ${words}); CURRENT=$#words; _cadre`, system);
    expect(await zsh("sho")).toEqual(["show"]);
    expect(await zsh("run 'code-r'")).toEqual(["code-reviewer", "files"]);
    expect(await zsh("run --mode=au")).toEqual(["--mode=auto"]);
    expect(await zsh("run --cwd ''")).toEqual(["files -/"]);
    expect(await zsh("run '$(touch done)'")).toEqual(["files"]);
    expect(await complete("check", "do")).toEqual([":files"]);
  });

  test.skipIf(!isInstalled("fish"))("completes in fish", async () => {
    const fish = async (line: string): Promise<string[]> =>
      await inShell("fish", ["--no-config"], `complete -C '${line}'`);
    expect(await fish("cadre sho")).toEqual([
      "show\tshow the conversation of a run, and its result",
    ]);
    expect((await fish("cadre run --mode=au"))[0]).toMatch(/^--mode=auto/);
    expect((await fish("cadre run code-r"))[0]).toMatch(/^code-reviewer\t/);
    expect(await fish("cadre check notes/")).toContain("notes/a b.md");
  });
});
