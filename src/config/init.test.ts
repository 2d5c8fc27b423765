import { mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { initProject } from "./init.ts";
import { loadConfig } from "./load-config.ts";

let root = "";
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cadre-init-")));
});

const files = [
  "agents/code-reviewer.md",
  "agents/researcher.md",
  "agents/test-writer.md",
  "config.yaml",
  "prompts/example.md",
  "recipes/code-review.yaml",
];

test("a new project gets a configuration, three agents, a recipe and a prompt file", async () => {
  const { written, kept } = await initProject(root);
  expect(written).toEqual(files.map((file) => join(root, ".cadre", file)));
  expect(kept).toEqual([]);
});

test("an existing file is unchanged", async () => {
  const mine = join(root, ".cadre", "config.yaml");
  await mkdir(join(root, ".cadre"));
  await writeFile(mine, "model: mine\n");
  const first = await initProject(root);
  expect(first.kept).toEqual([mine]);
  expect(await readFile(mine, "utf8")).toBe("model: mine\n");
  const second = await initProject(root);
  expect(second).toEqual({ written: [], kept: files.map((file) => join(root, ".cadre", file)) });
});

test("the written configuration is valid, as it is and with all comments enabled", async () => {
  await initProject(root);
  const request = {
    cwd: root,
    home: join(root, "home"),
    environment: {},
    flags: {},
    isTrusted: () => true,
  };
  expect((await loadConfig(request)).diagnostics).toEqual([]);
  const path = join(root, ".cadre", "config.yaml");
  const lines = (await readFile(path, "utf8")).split("\n");
  const start = lines.findIndex((line) => line.startsWith("# model:"));
  const isProse = (line: string): boolean => /^ *# (plan|[A-Z])/.test(line);
  const switched = lines.slice(start).map((line) => (isProse(line) ? "" : line.replace("# ", "")));
  await writeFile(path, switched.join("\n"));
  const { diagnostics, config } = await loadConfig(request);
  expect(diagnostics).toEqual([]);
  expect(config).toMatchObject({ model: "anthropic:claude-sonnet-4-5", limits: { depth: 3 } });
  expect(config.permissions.allow).toEqual(["Bash(npm test*)"]);
});

test("a folder that cannot be written to is an error that names it", async () => {
  await writeFile(join(root, ".cadre"), "a file, not a folder");
  await expect(initProject(root)).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining(`Expected to write ${join(root, ".cadre")}`),
  });
});
