import { existsSync, mkdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import type { AgentDefinition } from "./definition/agent.ts";
import { discoverAgents, type Discovery } from "./discover.ts";

let home = "";
let project = "";
beforeEach(() => {
  home = temporaryFolder();
  project = join(home, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
});

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

async function discover({ isTrusted = true } = {}): Promise<Discovery> {
  return discoverAgents({ cwd: project, home, files: [], isTrusted: () => isTrusted });
}

function find({ agents }: Discovery, name: string): AgentDefinition | undefined {
  return agents.find((one) => one.name === name);
}

function program(name: string, body = ""): string {
  return `${body}\nexport default { name: "${name}", description: "x", run() { return "done"; } };\n`;
}

test("a program of an untrusted project is listed, and its code does not run", async () => {
  const witness = join(home, "witness");
  const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(witness)}, "ran");`;
  await write(join(project, ".cadre/agents/spy.mjs"), program("spy", code));
  await write(
    join(home, ".cadre/agents/spy.md"),
    "---\nname: spy\ndescription: the user's own\n---\nBody.\n",
  );
  const found = await discover({ isTrusted: false });
  expect(find(found, "spy")?.description).toBe("the user's own");
  expect(found.all[0]?.diagnostics).toMatchObject([{ severity: "error", code: "not-trusted" }]);
  expect(found.all[0]?.diagnostics[0]?.fix).toContain("cadre trust");
  expect(existsSync(witness)).toBe(false);
});

test("the user's own programs need no trust", async () => {
  await write(join(home, ".cadre/agents/own.mjs"), program("own"));
  expect(find(await discover({ isTrusted: false }), "own")).toMatchObject({
    source: { format: "program" },
  });
});

test("a TypeScript program is read with its fields", async () => {
  const code = `
const agent: { timeoutSeconds: number } = { timeoutSeconds: 9 };
export default { name: "typed", description: "d", maxDepth: 1, agents: ["a"],
  outputSchema: { type: "object" }, run: async () => "x", ...agent };`;
  await write(join(project, ".cadre/agents/typed.ts"), code);
  expect(find(await discover(), "typed")).toMatchObject({
    timeoutSeconds: 9,
    maxDepth: 1,
    agents: ["a"],
    outputSchema: { type: "object" },
    diagnostics: [],
  });
});

test("programs that throw or have a wrong export are errors that say so", async () => {
  const folder = join(project, ".cadre/agents");
  await write(join(folder, "a.mjs"), "throw new Error('boom');");
  await write(join(folder, "b.mjs"), "export default 3;");
  await write(join(folder, "c.mjs"), "export const x = 1;");
  await write(join(folder, "d.mjs"), "export default { name: 'd', description: 'x', run: 'no' };");
  await write(join(folder, "e.mjs"), "export default { name: 'e', run() {} };");
  await write(
    join(folder, "f.mjs"),
    "export default { name: 'F', description: 'x', timeoutSeconds: 'x', run() {} };",
  );
  await write(join(folder, "g.test.ts"), "throw new Error('a test, not an agent');");
  const found = await discover();
  expect(found.agents.map(({ name }) => name)).toEqual(["main"]);
  expect(found.diagnostics.map(({ message }) => message)).toEqual([
    "The module threw an error while loading: boom",
    "Expected a default export `defineAgent({ name, description, run })`; got a number.",
    "Expected a default export `defineAgent({ name, description, run })`; got nothing.",
    "Expected `run` of the default export to be a function; got a string.",
    "Expected `description` of the default export to be text; got nothing.",
    "Expected `name` to be 1 to 64 of a-z, 0-9 and single hyphens.",
    "Expected `timeoutSeconds` to be a number from 1 to 3600.",
  ]);
});

test("an unknown field of a program is reported, and is an error if it would restrict", async () => {
  const code = (fields: string): string =>
    `export default { description: "d", run() {}, ${fields} };`;
  await write(join(project, ".cadre/agents/odd.mjs"), code("name: 'odd', timeout: 9, agentz: []"));
  await write(join(project, ".cadre/agents/bad.mjs"), code("name: 'bad', permissionMode: 'plan'"));
  const found = await discover();
  expect(find(found, "odd")?.diagnostics).toMatchObject([
    { severity: "warning", code: "unknown-key", message: expect.stringContaining("`timeout`") },
    { severity: "warning", message: expect.stringContaining("Did you mean `agents`?") },
  ]);
  expect(found.diagnostics).toContainEqual(
    expect.objectContaining({
      severity: "error",
      message: expect.stringContaining("`permissionMode` is not a field of a program agent"),
    }),
  );
});
