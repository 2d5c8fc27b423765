import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { createManPage } from "../../../scripts/man-page.ts";
import { createProgram } from "../../../src/cli/program.ts";

test("the manual page has every command and option", async () => {
  const page = await createManPage();
  const plain = page.replaceAll("\\-", "-");
  const program = await createProgram(["run"], () => undefined);
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((one) => one.name());
  expect(names.length).toBeGreaterThan(15);
  for (const name of names.filter((one) => one !== "help")) {
    expect(plain).toContain(`.B cadre ${name} `);
  }
  const run = program.commands.find((one) => one.name() === "run");
  for (const { flags } of run?.options ?? []) expect(plain).toContain(flags);
  expect(plain).not.toContain(".B cadre complete ");
});

const troff = (page: string) =>
  spawnSync("groff", ["-man", "-Tutf8", "-ww"], { input: page, encoding: "utf8" });

test.skipIf(troff("").error !== undefined)("troff accepts the manual page", async () => {
  const { stdout, stderr } = troff(await createManPage());
  expect(stderr).toBe("");
  expect(stdout).toContain("run an agent or a task, and wait for the result");
});
