import { describe, expect, it } from "vitest";
import { newSchema, postgresUrl } from "../fixtures/postgres/test-schema.ts";
import { agentFile, cadre, createProject, type Project } from "./command-line.ts";

const script = `scripts:
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: reader, prompt: look } }] }
  - reply: { text: "answer to {{task}}" }
`;

function createFixture(environment: Record<string, string> = {}): Project {
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/reader.md": agentFile("reader"),
  });
  return { ...project, environment: { ...project.environment, ...environment } };
}

async function read(project: Project, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await cadre(project, words);
  expect(code, stderr).toBe(0);
  return stdout;
}

describe("cadre db migrate", () => {
  it("without an address says which one it expects", async () => {
    const { code, stderr } = await cadre(createFixture(), ["db", "migrate"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/`registry\.url` or CADRE_REGISTRY_URL.*none is set/);
  });

  it("refuses an address of another kind without repeating it", async () => {
    const project = createFixture({ CADRE_REGISTRY_URL: "mysql://u:secret@host/name" });
    const { code, stderr } = await cadre(project, ["runs"]);
    expect(code).toBe(2);
    expect(stderr).toContain("environment CADRE_REGISTRY_URL");
    expect(stderr).not.toContain("secret");
  });
});

it("cadre config shows no address of a registry, which may contain a password", async () => {
  const project = createFixture({ CADRE_REGISTRY_URL: "postgresql://u:secret@host/name" });
  const { stdout } = await cadre(project, ["config"]);
  expect(stdout).toMatch(/registry\.url\s+environment CADRE_REGISTRY_URL\s+"\(hidden\)"/);
  expect(stdout).not.toContain("secret");
});

describe.skipIf(postgresUrl === undefined)("a registry in PostgreSQL, for the command", () => {
  const createDatabaseFixture = (): Project =>
    createFixture({
      CADRE_REGISTRY_URL: postgresUrl ?? "",
      CADRE_REGISTRY_SCHEMA: newSchema(),
    });

  it("is created by `cadre db migrate`, without which every command says so", async () => {
    const project = createDatabaseFixture();
    const { code, stderr } = await cadre(project, ["runs"]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/no tables yet.*`cadre db migrate`/);
    const first = await cadre(project, ["db", "migrate"]);
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/created the tables, schema version \d/) as string,
      stderr: "",
    });
    const { from, to } = JSON.parse(await read(project, "db", "migrate", "--json")) as {
      from: number;
      to: number;
    };
    expect(from).toBe(to);
  });

  it("has what runs, tree, show, events, conversations, cache and prune work with", async () => {
    const project = createDatabaseFixture();
    await read(project, "db", "migrate");
    const { runId } = JSON.parse(await read(project, "run", "--json", "delegate")) as {
      runId: string;
    };
    expect(await read(project, "runs")).toContain(runId);
    expect(await read(project, "tree", "last")).toContain("reader");
    expect(await read(project, "show", runId)).toContain("answer to delegate");
    expect(await read(project, "events", runId)).toContain("run-finished");
    expect(await read(project, "conversations", "--search", "ANSWER TO")).toContain("delegate");
    await read(project, "run", "--continue", "go on");
    expect(JSON.parse(await read(project, "cache", "--json"))).toEqual({ entries: [] });
    expect(await read(project, "prune", "--older-than", "0s")).toContain("Deleted 3 runs");
    expect(JSON.parse(await read(project, "runs", "--json"))).toMatchObject({ runs: [] });
  });
});
