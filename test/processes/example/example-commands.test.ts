import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cadre, createProject, root } from "../../cli/command-line.ts";
import { openTerminal } from "../../cli/live-terminal.ts";

const folder = join(root, "examples/13-commands");

it("the example of commands works without a model as its README says", async () => {
  const project = createProject();
  cpSync(folder, project.path, { recursive: true });
  expect(await cadre(project, ["check"])).toMatchObject({
    code: 0,
    stdout: "0 errors, 0 warnings\n",
  });
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [command = "", ...typed] = Array.from(readme.matchAll(/^ {4}(.*)$/gm), ([, line]) => line);
  const terminal = openTerminal(project, command.split(" ").slice(1));
  await terminal.shows("main · /help");
  expect(typed).toEqual(["/notes 2.0", "/translate language=French", "/translate"]);
  terminal.type(`${typed[0]}\r`);
  await terminal.shows("main asks to use Bash:");
  await terminal.shows("allow? [y/a/p/n/r/v]");
  terminal.type("y");
  await terminal.shows("Version 2.0 is here: the teapot answers twice as fast!");
  terminal.type(`${typed[1]}\r`);
  await terminal.shows("The release notes in French.");
  terminal.type(`${typed[2]}\r`);
  await terminal.shows("language (string): such as French");
  terminal.type("Dutch\r");
  await terminal.shows("The release notes in Dutch.");
  terminal.type("/quit\r");
  expect(await terminal.ended).toBe(0);
});
