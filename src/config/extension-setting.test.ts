import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { configuredExtensions } from "./config.ts";
import { loadConfig, type LoadedConfig } from "./load-config.ts";

let home = "";
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "cadre-extension-")));
  await mkdir(join(home, "project", ".cadre"), { recursive: true });
});

async function load(text: string, isTrusted = true): Promise<LoadedConfig> {
  await writeFile(join(home, "project", ".cadre", "config.yaml"), text);
  const cwd = join(home, "project");
  return await loadConfig({ cwd, home, environment: {}, flags: {}, isTrusted: () => isTrusted });
}

it("servers are configured by name, with a folder relative to the project", async () => {
  const { config, diagnostics } = await load(`extensions:
  files:
    command: npx
    args: [-y, files]
    cwd: data
    readOnly: [read_*]
    timeoutSeconds: 30
  web: { url: "https://web.example/mcp", headers: { X-Key: "\${KEY}" }, environmentKeys: [KEY] }`);
  expect(diagnostics).toEqual([]);
  expect(configuredExtensions(config)).toEqual([
    {
      name: "files",
      type: "stdio",
      command: "npx",
      args: ["-y", "files"],
      cwd: join(home, "project", "data"),
      readOnly: ["read_*"],
      timeoutSeconds: 30,
    },
    {
      name: "web",
      type: "streamable_http",
      url: "https://web.example/mcp",
      headers: { "X-Key": "${KEY}" },
      environmentKeys: ["KEY"],
    },
  ]);
});

it("the problems of a server are reported with their positions", async () => {
  const { config, diagnostics } = await load(`extensions:
  a: { args: [x] }
  b:
    command: run
    url: https://b.example
  c:
    url: https://c.example
    environment: { A: b }
  d:
    comand: run
  e:
    url: ftp://e.example
  f:
    command: run
    environmentKeys: ["A=B"]
  g: npx`);
  expect(diagnostics.map(({ line, column, code }) => [line, column, code])).toEqual([
    [2, 3, "wrong-type"],
    [5, 5, "wrong-type"],
    [8, 5, "wrong-type"],
    [10, 5, "wrong-type"],
    [12, 5, "wrong-type"],
    [15, 23, "wrong-type"],
    [16, 3, "wrong-type"],
  ]);
  const messages = diagnostics.map(({ message }) => message);
  expect(messages[0]).toBe("extensions.a: expected a command or a url, got neither.");
  expect(messages[1]).toBe("extensions.b.url: expected a command or a url, got both.");
  expect(messages[2]).toContain("extensions.c.environment: this cannot be combined with a url");
  expect(messages[3]).toContain("extensions.d: `comand` is not known. Did you mean `command`?");
  expect(configuredExtensions(config)).toEqual([]);
});

it("every problem states what came; only the type of what may be a secret", async () => {
  const { diagnostics } = await load(`extensions:
  a: { command: run, timeoutSeconds: ten, environment: { TOKEN: 4711, SECRET: sk-hidden }, args: [4712] }
  b: { url: "sk-hidden://x" }
  c: { command: run, environmentKeys: [sk-hidden] }
  d: [{ environment: { SECRET: sk-hidden } }]
  e: { url: "https://e.example", headers: { Authorization: sk-hidden }, timeoutSeconds: "1" }
models: { endpoints: { local: { baseUrl: "//user:sk-hidden@host" } } }
sandbox: { network: { allow: ["https://x.example"] } }
schedules: { night: { cron: daily, trigger: t, timezone: Berlin } }
triggers: { t: { start: { agent: a }, secretEnv: sk-hidden } }
webhooks: { w: { url: "x.example?key=sk-hidden", secretEnv: sk-hidden, events: [run-start] } }`);
  const messages = diagnostics.map(({ message }) => message).join("\n");
  expect(messages).not.toMatch(/sk-hidden|471/);
  for (const message of [
    'extensions.a.timeoutSeconds: expected a number, got "ten".',
    "extensions.a.environment.TOKEN: expected text, got a number.",
    "extensions.a.args.0: expected text, got a number.",
    "extensions.b.url: expected an http or https URL, got a text, which is not shown.",
    "extensions.c.environmentKeys.0: expected the name of an environment variable such as `API_KEY`, got a text",
    "environmentKeys; got a list.",
    "models.endpoints.local.baseUrl: expected an http or https URL, got a text",
    'without a port, got "https://x.example".',
    'schedules.night.cron: expected five fields such as `0 3 * * *`, got "daily".',
    'schedules.night.timezone: expected a time zone such as Europe/Berlin, got "Berlin".',
    "triggers.t.secretEnv: expected the name of an environment variable",
    "webhooks.w.url: expected an http or https URL, got a text",
    'or "question-answered", got "run-start".',
  ]) {
    expect(messages).toContain(message);
  }
});

it("an untrusted project configures no servers", async () => {
  const { config, diagnostics } = await load("extensions: { evil: { command: rm } }", false);
  expect(configuredExtensions(config)).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "not-trusted", severity: "warning" }]);
});

it("the displayed configuration contains no secrets of servers", async () => {
  const { config, sources } = await load(`extensions:
  a: { command: run, environment: { TOKEN: hush } }
  b: { url: "https://b.example", headers: { X-Key: hush } }`);
  expect(JSON.stringify(config)).toContain("hush");
  expect(JSON.stringify(sources)).not.toContain("hush");
  expect(sources["extensions.a"]?.value).toMatchObject({ environment: { TOKEN: "(hidden)" } });
});
