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
  expect(messages[0]).toContain("a command or a url is expected");
  expect(messages[2]).toContain("extensions.c.environment: this cannot be combined with a url");
  expect(messages[3]).toContain('Unrecognized key: "comand"');
  expect(configuredExtensions(config)).toEqual([]);
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
