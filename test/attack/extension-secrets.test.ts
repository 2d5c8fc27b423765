import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createFreeListener, startWebServer } from "../fixtures/mcp/mcp-http-server.ts";
import { inRecipes, runCalls, subagent } from "../fixtures/delegation/subagent-calls.ts";

const mcpServer = fileURLToPath(new URL("../fixtures/mcp/mcp-server-process.ts", import.meta.url));
/** Prints its arguments and environment, and fails. */
const talkative = `console.error(process.argv.join(), process.env.KEY); process.exit(1)`;

/** The secrets in a text: `s3cr3t` and the following characters. */
const secret = /s3cr3t\w*/g;

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

test("secrets of extensions and runners are in no file of the state, also when they fail", async () => {
  const web = await startWebServer(createFreeListener());
  const local = (kind: string): object => ({
    command: process.execPath,
    args: [mcpServer, "--token", `s3cr3tArgument${kind}`],
    environment: { KEY: `s3cr3tVariable${kind}` },
  });
  const remote = (kind: string): object => ({
    url: `${web.url.replace("//", `//s3cr3tLogin${kind}:s3cr3tPassword${kind}@`)}?key=s3cr3tQuery${kind}`,
    headers: { "X-Key": `s3cr3tHeader${kind}` },
  });
  const broken = {
    command: process.execPath,
    args: ["-e", talkative, "--key=s3cr3tArgumentBroken"],
    environment: { KEY: "s3cr3tVariableBroken" },
  };
  const agent = (name: string, fields: object): string => {
    const lines = Object.entries({ name, description: "x", ...fields }).map(
      ([key, value]) => `${key}: ${JSON.stringify(value)}`,
    );
    return `---\n${lines.join("\n")}\n---\nx\n`;
  };
  const own = (name: string, server: object): object => ({ extensions: [{ name, ...server }] });
  const recipe = {
    version: "1.0.0",
    title: "Echo",
    description: "x",
    prompt: "x",
    extensions: [
      {
        type: "stdio",
        name: "r1",
        cmd: process.execPath,
        args: [mcpServer, "s3cr3tArgument3"],
        envs: { KEY: "s3cr3tVariable3" },
      },
      {
        type: "streamable_http",
        name: "r2",
        uri: `${web.url}?key=s3cr3tQuery3`,
        headers: { "X-Key": "s3cr3tHeader3" },
      },
    ],
  };
  const files: Record<string, string> = {
    ".cadre/config.yaml": JSON.stringify({ extensions: { one: local("1"), two: remote("1") } }),
    ".cadre/agents/own.md": agent("own", own("o1", { type: "stdio", ...local("2") })),
    ".cadre/agents/far.md": agent("far", own("o2", remote("2"))),
    ".cadre/agents/broken.md": agent("broken", own("b", broken)),
    ".cadre/agents/runner.md": agent("runner", {
      runner: "acp:KEY=s3cr3tVariable4 false --key s3cr3tArgument4",
    }),
    [inRecipes("echo.yaml")]: JSON.stringify(recipe),
  };
  const written = Object.values(files).join().match(secret) ?? [];
  expect(new Set(written).size).toBe(20);
  const { cadre, received, result, children } = await runCalls(
    [
      ...["own", "far", "broken", "runner"].map((name) => ({
        tool: "Agent",
        input: { type: name, prompt: "x" },
      })),
      subagent({ subrecipe: "echo" }),
    ],
    { files, options: { trust: true } },
  );
  expect(result.status).toBe("succeeded");
  expect(children).toHaveLength(5);
  expect(received.join()).toMatch(/b.*cannot be used/);
  const find = (): string[] =>
    filesBelow(cadre.stateFolder).flatMap(
      (path) => readFileSync(path, "latin1").match(secret) ?? [],
    );
  expect(find()).toEqual([]);
  await cadre.close();
  expect(find()).toEqual([]);
});

test("secrets of extensions refused in an untrusted folder are in no file of the state either", async () => {
  const recipe = {
    version: "1.0.0",
    title: "Echo",
    description: "x",
    prompt: "x",
    extensions: [
      { type: "stdio", name: "r1", cmd: "server", args: ["s3cr3tArgument"] },
      { type: "streamable_http", name: "r2", uri: "https://h.example/s3cr3tPath?key=s3cr3tQuery" },
    ],
  };
  const { cadre, received } = await runCalls([subagent({ subrecipe: "echo" })], {
    files: { [inRecipes("echo.yaml")]: JSON.stringify(recipe) },
  });
  expect(received.join()).toContain("not trusted");
  for (const path of filesBelow(cadre.stateFolder)) {
    expect(readFileSync(path, "latin1").match(secret)).toBeNull();
  }
});
