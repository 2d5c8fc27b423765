import { expect, it } from "vitest";
import type { HttpExtension, StdioExtension } from "../run/extension-config.ts";
import { checkLaunch } from "./check-launch.ts";
import { configOf, digestExtension, inheritExtension, storeExtension } from "./stored-extension.ts";

const config: StdioExtension = {
  name: "db",
  type: "stdio",
  command: "db-server",
  args: ["--password", "hunter2"],
  environment: { TOKEN: "secret-token" },
  description: "a database",
};
const remote: HttpExtension = {
  name: "hub",
  type: "streamable_http",
  url: "https://user:login1@hub.example/mcp?token=query1#part1",
  headers: { Authorization: "Bearer header1" },
};
const configuration = { kind: "configuration" } as const;

it("a stored extension contains no secret, and only this process finds its configuration", () => {
  const stored = storeExtension(config, configuration);
  expect(stored).toEqual({
    name: "db",
    type: "stdio",
    origin: configuration,
    description: "a database",
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(configOf(stored)).toBe(config);
  const recorded = JSON.parse(JSON.stringify(stored)) as typeof stored;
  expect(() => configOf(recorded)).toThrow(
    "The configuration of the MCP server db is not in memory",
  );
});

it("an extension that the parent's agent declares is an inherited one for the child", () => {
  const origin = { kind: "agent", agent: "main", path: "/a.md" } as const;
  const stored = storeExtension(config, origin, true);
  const inherited = inheritExtension(stored);
  expect(inherited).toEqual({ ...storeExtension(config, origin) });
  expect(inherited).not.toHaveProperty("isOwn");
  expect(configOf(inherited)).toBe(config);
});

it("extensions with equal names and commands keep their own secrets", () => {
  const stored = storeExtension(config, configuration);
  const other = { ...config, environment: { TOKEN: "another-token" } };
  expect(storeExtension(other, configuration)).toEqual(stored);
  expect(configOf(storeExtension(other, configuration))).toBe(other);
  expect(configOf(stored)).toBe(config);
});

it("a digest changes with the command or URL, and not with secrets or the order of keys", () => {
  const { name, type, ...rest } = config;
  const digest = digestExtension(config);
  expect(digestExtension({ ...rest, type, name })).toBe(digest);
  expect(digestExtension({ ...config, environment: { TOKEN: "new" } })).toBe(digest);
  expect(digestExtension({ ...config, description: "another" })).toBe(digest);
  const changes = [
    { command: "evil" },
    { args: ["--password", "hunter2", "--more"] },
    { cwd: "/" },
    { environment: { TOKEN: "secret-token", NODE_OPTIONS: "--import=./evil.mjs" } },
    { environmentKeys: ["HOME"] },
    { readOnly: ["*"] },
  ];
  for (const change of changes) expect(digestExtension({ ...config, ...change })).not.toBe(digest);
  const rotated = {
    ...remote,
    url: "https://other:login2@hub.example/mcp?token=query2",
    headers: { Authorization: "Bearer header2" },
  };
  expect(digestExtension(rotated)).toBe(digestExtension(remote));
  const elsewhere = { ...remote, url: "https://evil.example/mcp" };
  expect(digestExtension(elsewhere)).not.toBe(digestExtension(remote));
});

it("a variable that is not set is an error before any server is started", () => {
  const needy = { ...config, environmentKeys: ["TOKEN"] };
  expect(() => checkLaunch(needy, { TOKEN: "x" })).not.toThrow();
  expect(() => checkLaunch(needy, {})).toThrow(/server db .* not set: TOKEN/);
});
