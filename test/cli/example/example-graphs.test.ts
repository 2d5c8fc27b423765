import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Run } from "../../../src/index.ts";
import { cadre, createProject, type Project, root } from "../command-line.ts";

const folder = join(root, "examples/04-graphs");

function copyExample(): { project: Project; commands: string[][] } {
  const project = createProject();
  cpSync(folder, project.path, { recursive: true });
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const commands = [...readme.matchAll(/^ {4}cadre (.*?)(?: {2,}#.*)?$/gm)];
  return { project, commands: commands.map(([, words = ""]) => words.split(" ")) };
}

async function family(project: Project): Promise<Map<string | null, Run>> {
  const { stdout } = await cadre(project, ["tree", "last", "--json"]);
  const { runs } = JSON.parse(stdout) as { runs: Run[] };
  return new Map(runs.map((run) => [run.label, run]));
}

it("the example graph runs without a model as its README says, from the cache if nothing changed", async () => {
  const { project, commands } = copyExample();
  const [check = [], run = []] = commands;
  expect(await cadre(project, check)).toMatchObject({ code: 0, stdout: "0 errors, 0 warnings\n" });
  const { code, stdout } = await cadre(project, run);
  expect(stdout).toMatch(/^4 of 5 runs succeeded\./);
  expect(stdout).toContain("News of the teapot: It answers twice as fast. It takes vouchers.");
  expect(stdout).toMatch(/although its links were not checked \(timed-out\)\.\n$/);
  expect(code).toBe(0);

  writeFileSync(join(project.path, "changes/shop.md"), "- It wraps gifts.\n");
  expect((await cadre(project, run)).stdout).toContain("It answers twice as fast. It wraps gifts.");
  const runs = await family(project);
  expect(runs.get("server")).toHaveProperty("cachedFrom");
  expect(runs.get("shop")).not.toHaveProperty("cachedFrom");
});
