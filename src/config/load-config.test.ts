import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { CadreError } from "../errors.ts";
import { defaultConfig } from "./config.ts";
import { type ConfigRequest, loadConfig, type LoadedConfig } from "./load-config.ts";
import { projectStateFolder } from "./state-folder.ts";

let home = "";
let project = "";
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "cadre-config-")));
  project = join(home, "project");
  await mkdir(join(project, ".git"), { recursive: true });
});

async function write(folder: string, text: string): Promise<string> {
  const path = join(folder, ".cadre", "config.yaml");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

async function load(more: Partial<ConfigRequest> = {}): Promise<LoadedConfig> {
  const request = { cwd: project, home, environment: {}, flags: {}, isTrusted: () => true };
  return loadConfig({ ...request, ...more });
}

function findings({ diagnostics }: LoadedConfig): string[] {
  return diagnostics.map(
    ({ line, column, severity, code }) => `${line}:${column} ${severity} ${code}`,
  );
}

test("without any file, the defaults apply with the origin default", async () => {
  const { config, sources, diagnostics } = await load();
  const { stateDir, ...rest } = config;
  expect(rest).toEqual(defaultConfig);
  expect(stateDir).toMatch(/cadre\/projects\/project-[0-9a-f]{16}$/);
  expect(sources["stateDir"]).toEqual({
    value: stateDir,
    origin: `default for the project ${project}`,
  });
  expect(config.limits).toMatchObject({ depth: 3, children: 20, concurrency: 16, familyRuns: 500 });
  expect(sources["limits.depth"]).toEqual({ value: 3, origin: "default" });
  expect(diagnostics).toEqual([]);
});

test("flags take precedence over the environment, the project and the user, in this order", async () => {
  const user = await write(
    home,
    "model: user\nsandbox: off\nlimits: { depth: 5, children: 5 }\npermissions: { mode: plan }",
  );
  const mine = await write(
    project,
    "model: project\nlimits:\n  depth: 4\npermissions:\n  mode: auto",
  );
  const { config, sources } = await load({
    environment: { CADRE_MODEL: "environment", CADRE_MODE: "ask", CADRE_STATE_DIR: "" },
    flags: { model: "flag" },
  });
  expect(config).toMatchObject({
    model: "flag",
    sandbox: { mode: "off" },
    permissions: { mode: "ask" },
  });
  expect(config.limits).toMatchObject({ depth: 4, children: 5, concurrency: 16 });
  expect(sources).toMatchObject({
    model: { value: "flag", origin: "the option `model`" },
    "permissions.mode": { value: "ask", origin: "environment CADRE_MODE" },
    "limits.depth": { value: 4, origin: `${mine}:3` },
    "limits.children": { value: 5, origin: `${user}:3` },
    "sandbox.mode": { value: "off", origin: `${user}:2` },
  });
  expect(sources["stateDir"]?.origin).toBe(`default for the project ${project}`);
});

test("rules of all files are joined, and a nearer file cannot remove a deny rule", async () => {
  const user = await write(home, "permissions:\n  deny: [Read(.env), Bash(rm *)]");
  const mine = await write(project, "permissions:\n  deny: [Bash(rm *), Write(docs/**)]");
  const { config, sources } = await load();
  expect(config.permissions.deny).toEqual(["Read(.env)", "Bash(rm *)", "Write(docs/**)"]);
  expect(sources["permissions.deny"]?.origin).toBe(`${user}:2, ${mine}:2`);
  await write(project, "permissions:\n  deny: []");
  expect((await load()).config.permissions.deny).toEqual(["Read(.env)", "Bash(rm *)"]);
});

test("the project's configuration is the nearest one up to its root", async () => {
  await write(project, "model: root");
  const cwd = join(project, "packages", "one");
  await mkdir(cwd, { recursive: true });
  expect((await load({ cwd })).config.model).toBe("root");
  await write(join(project, "packages"), "model: nearer");
  expect((await load({ cwd })).config.model).toBe("nearer");
});

test("names of models, aliases, endpoints and prices are free", async () => {
  const text = `models:
  aliases:
    gpt-4.1: openai:gpt-4.1
    __proto__: x:y
  endpoints:
    local: { baseUrl: "http://localhost:11434/v1", apiKeyEnv: KEY, contextTokens: 1000 }
  prices:
    local:qwen3: { input: 0, output: 1.5 }
  contextTokens: { "local:qwen3": 40000 }`;
  await write(project, text);
  const loaded = await load();
  expect(loaded.diagnostics).toEqual([]);
  const { aliases, endpoints, prices, contextTokens } = loaded.config.models;
  expect(Object.keys(aliases)).toEqual(["gpt-4.1", "__proto__"]);
  expect(endpoints.local).toEqual({
    baseUrl: "http://localhost:11434/v1",
    apiKeyEnv: "KEY",
    contextTokens: 1000,
  });
  expect(prices["local:qwen3"]).toEqual({ input: 0, output: 1.5 });
  expect(contextTokens).toEqual({ "local:qwen3": 40_000 });
  expect(defaultConfig.models.aliases).toEqual({});
});

test("unknown keys and wrong values are errors with the position, the expected value and the nearest key", async () => {
  await write(
    project,
    `permisions: { mode: ask }
limits:
  dept: 3
  children: many
  depth: -1
permissions:
  mode: yolo
  deny: Bash
models:
  endpoints:
    local: { baseURL: x }
sandbox: 1`,
  );
  const loaded = await load();
  expect(findings(loaded)).toEqual([
    "1:1 error unknown-key",
    "3:3 error unknown-key",
    "4:3 error wrong-type",
    "5:3 error wrong-type",
    "7:3 error wrong-type",
    "8:3 error wrong-type",
    "11:5 error wrong-type",
    "11:14 error wrong-type",
    "12:1 error wrong-type",
  ]);
  const messages = loaded.diagnostics.map(({ message }) => message);
  expect(messages[0]).toContain("Did you mean `permissions`?");
  expect(messages[1]).toContain("Did you mean `depth`?");
  expect(messages[2]).toBe(
    'Expected limits.children to be a whole number of at least 1; got "many".',
  );
  expect(messages[4]).toContain("plan, read-only, deny, ask, accept-edits, auto");
  expect(loaded.config).toMatchObject(defaultConfig);
});

test("a file that is not a map, is invalid YAML or repeats a key is an error", async () => {
  await write(project, "- a\n- b");
  expect(findings(await load())).toEqual(["1:1 error wrong-type"]);
  await write(project, "model: a: b");
  expect(findings(await load())).toEqual(["1:8 error yaml-invalid"]);
  await write(project, "model: a\nmodel: b");
  expect(findings(await load())).toEqual(["2:1 error duplicate-key"]);
});

test("a file of comments and keys without values sets nothing", async () => {
  await write(project, "# nothing\nlimits:\n  # depth: 3\nmodel:\n");
  expect(await load()).toMatchObject({ config: defaultConfig, diagnostics: [] });
});

test("an untrusted project may only make settings stricter", async () => {
  await write(
    home,
    "model: mine\nlimits: { depth: 2 }\npermissions: { deny: [Read], allow: [Think] }",
  );
  const path = await write(
    project,
    `model: theirs
models: { aliases: { sonnet: evil:model }, endpoints: { x: { baseUrl: "http://evil.example" } } }
permissions: { mode: auto, allow: [Bash], ask: [Edit], deny: [Write] }
limits: { depth: 9, children: 1 }
delegation: { nested: false, denyModels: ["google:*"], requireMode: auto }
sandbox: off
stateDir: /tmp/elsewhere`,
  );
  const loaded = await load({ isTrusted: () => false });
  expect(loaded.config).toEqual({
    ...defaultConfig,
    stateDir: projectStateFolder(project, { home, environment: {} }),
    model: "mine",
    permissions: { mode: "ask", allow: ["Think"], ask: ["Edit"], deny: ["Read", "Write"] },
    limits: { ...defaultConfig.limits, depth: 2, children: 1 },
    delegation: {
      profile: "default",
      nested: false,
      denyModels: ["google:*"],
      requireMode: "auto",
    },
  });
  const ignored = loaded.diagnostics.map(({ message }) => /`(.*?)`/.exec(message)?.[1]);
  expect(ignored).toEqual([
    "model",
    "models.aliases.sonnet",
    "models.endpoints.x",
    "permissions.mode",
    "permissions.allow",
    "limits.depth",
    "sandbox.mode",
    "stateDir",
  ]);
  for (const finding of loaded.diagnostics) {
    expect(finding).toMatchObject({ path, severity: "warning", code: "not-trusted" });
    expect(finding.fix).toContain("cadre trust");
  }
});

test("an untrusted project cannot loosen a strict setting of the user", async () => {
  await write(home, "delegation: { nested: false, requireMode: auto }");
  await write(project, "delegation: { nested: true, requireMode: any }");
  const { config, diagnostics } = await load({ isTrusted: () => false });
  expect(config.delegation).toMatchObject({ nested: false, requireMode: "auto" });
  expect(diagnostics).toHaveLength(2);
});

test("an untrusted project may set the mode in effect, and a stricter one", async () => {
  for (const mode of ["ask", "plan", "deny"]) {
    await write(project, `permissions: { mode: ${mode} }\nsandbox: required`);
    const { config, diagnostics } = await load({ isTrusted: () => false });
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({ permissions: { mode }, sandbox: { mode: "required" } });
  }
});

test("a relative state folder is resolved from the file that sets it", async () => {
  await write(project, "stateDir: state");
  const cwd = join(project, "deep");
  await mkdir(cwd);
  expect((await load({ cwd })).config.stateDir).toBe(join(project, "state"));
  expect((await load({ cwd, environment: { CADRE_STATE_DIR: "here" } })).config.stateDir).toBe(
    join(cwd, "here"),
  );
});

test("an invalid flag or variable is refused with the expected value", async () => {
  const refused = load({ flags: { mode: "yolo" } });
  await expect(refused).rejects.toBeInstanceOf(CadreError);
  await expect(refused).rejects.toThrow(
    "Expected the option `mode` to be one of plan, read-only, deny, ask",
  );
  await expect(load({ environment: { CADRE_MODE: "x" } })).rejects.toThrow(
    "environment CADRE_MODE",
  );
});

test("a rule that would match nothing is an error at its position, not a gap in the denied calls", async () => {
  await write(
    project,
    "permissions:\n  deny:\n    - Bash(rm *)\n    - bash(curl *)\n    - 'Read(.env'\n",
  );
  const loaded = await load();
  expect(findings(loaded)).toEqual(["4:7 error wrong-type", "5:7 error wrong-type"]);
  expect(loaded.diagnostics[0]?.message).toContain("Did you mean `Bash`?");
});

test("the sandbox is set by a word or a map, and paths are resolved from the file that sets them", async () => {
  const user = await write(home, "sandbox:\n  mode: required\n  writable: [~/data]\n");
  const mine = await write(
    project,
    "sandbox:\n  network: { allow: [registry.npmjs.org, '*.example.com'] }\n  writable: [../beside]\n  readable: [/srv/data]\n",
  );
  const { config, sources, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect(config.sandbox).toEqual({
    mode: "required",
    network: { allow: ["registry.npmjs.org", "*.example.com"] },
    unixSockets: false,
    writable: [join(home, "data"), join(home, "beside")],
    readable: ["/srv/data"],
  });
  expect(sources["sandbox.writable"]?.origin).toBe(`${user}:3, ${mine}:3`);
  expect(sources["sandbox.network"]?.origin).toBe(`${mine}:2`);
});

test("an invalid setting of the sandbox is an error at its position", async () => {
  await write(
    project,
    "sandbox:\n  mode: on\n  network: { allow: ['https://example.com'] }\n  writeable: [x]\n  readable: x\n",
  );
  expect(findings(await load())).toEqual([
    "2:3 error wrong-type",
    "3:22 error wrong-type",
    "4:3 error unknown-key",
    "5:3 error wrong-type",
  ]);
});

test("an untrusted project may only narrow the sandbox", async () => {
  await write(home, "sandbox:\n  network: { allow: [a.example] }\n");
  const loose = "network: true, writable: [x], readable: [/], unixSockets: true";
  await write(project, `sandbox: { ${loose} }\n`);
  const loosened = await load({ isTrusted: () => false });
  expect(loosened.diagnostics.map(({ code }) => code)).toEqual(Array(4).fill("not-trusted"));
  expect(loosened.config.sandbox).toMatchObject({
    network: { allow: ["a.example"] },
    writable: [],
  });
  await write(project, "sandbox:\n  mode: required\n  network: false\n");
  const narrowed = await load({ isTrusted: () => false });
  expect(narrowed.diagnostics).toEqual([]);
  expect(narrowed.config.sandbox).toMatchObject({ mode: "required", network: false });
});
