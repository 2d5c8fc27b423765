import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { checkPaths } from "../check.ts";
import { discoverAgents } from "../discover.ts";

let base = "";
let project = "";
let home = "";
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "cadre-codex-")));
  [home, project] = [join(base, "home"), join(base, "home", "project")];
  await mkdir(join(project, ".git"), { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function find(name: string): Promise<AgentDefinition | undefined> {
  const { all } = await discoverAgents({ cwd: project, home, isTrusted: () => false });
  return all.find((agent) => agent.name === name);
}

test("a role of config.toml uses the file it names, and its own description if the file has none", async () => {
  await write(
    join(project, ".codex/config.toml"),
    'model = "gpt-5"\n[agents]\nmax_threads = 4\n[agents.scout]\ndescription = "Scouts."\nconfig_file = "agents/scout.toml"\n',
  );
  await write(join(project, ".codex/agents/scout.toml"), 'developer_instructions = "Look."\n');
  const config = join(project, ".codex/config.toml");
  expect(await find("scout")).toMatchObject({
    description: "Scouts.",
    systemPrompt: "Look.",
    diagnostics: [],
    origins: { name: `${config}:4`, description: `${config}:4` },
  });
});

test("a missing description comes from the layer below, all other values from the nearest file", async () => {
  const file = (more: string): string =>
    `name = "scout"\ndeveloper_instructions = "Look."\n${more}`;
  await write(join(project, ".codex/agents/scout.toml"), file('model = "gpt-5"\n'));
  await write(
    join(home, ".codex/agents/scout.toml"),
    file('description = "Scouts."\nsandbox_mode = "read-only"\n'),
  );
  const scout = await find("scout");
  expect(scout).toMatchObject({
    description: "Scouts.",
    model: "openai:gpt-5",
    diagnostics: [],
    source: { scope: "project" },
    origins: { description: `${join(home, ".codex/agents/scout.toml")}:3` },
  });
  expect(scout).not.toHaveProperty("permissionMode");
  expect(await checkPaths([], { cwd: project, home, isTrusted: () => false })).toEqual([]);
});

test("a role without a file uses that of the layer below", async () => {
  await write(join(project, ".codex/config.toml"), '[agents.scout]\ndescription = "Ours."\n');
  await write(
    join(home, ".codex/agents/scout.toml"),
    'name = "scout"\ndescription = "Theirs."\ndeveloper_instructions = "Look."\n',
  );
  expect(await find("scout")).toMatchObject({ description: "Ours.", systemPrompt: "Look." });
});

test.each([
  ["does not exist", "agents/none.toml"],
  ["is outside the project", "../../secret.toml"],
])("a file that %s is an error at the role, which keeps its name", async (_, file) => {
  await write(join(home, "secret.toml"), 'developer_instructions = "x"\n');
  await write(
    join(project, ".codex/config.toml"),
    `[agents.scout]\ndescription = "Scouts."\nconfig_file = "${file}"\n`,
  );
  const scout = await find("scout");
  expect(scout).toMatchObject({
    systemPrompt: "",
    diagnostics: [{ code: "config-file", line: 3 }],
  });
});

test("an invalid config.toml is a warning, and the files beside it are read", async () => {
  await write(join(project, ".codex/config.toml"), "[agents\n");
  await write(
    join(project, ".codex/agents/a.toml"),
    'name = "a"\ndescription = "d"\ndeveloper_instructions = "i"\n',
  );
  expect(await find("a")).toMatchObject({ diagnostics: [] });
  expect(await checkPaths([], { cwd: project, home, isTrusted: () => false })).toMatchObject([
    { severity: "warning", code: "toml-invalid", line: 1 },
  ]);
});
