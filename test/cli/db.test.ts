import { describe, expect, it } from "vitest";
import { newSchema, postgresUrl } from "../fixtures/postgres/test-schema.ts";
import { agentFile, cadre, createProject, type Project, start } from "./command-line.ts";

const script = `scripts:
  - when: { agent: asker, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "touch made" } }] }
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: reader, prompt: look } }] }
  - reply: { text: "answer to {{task}}" }
`;

function createPlace(environment: Record<string, string> = {}): Project {
  const place = createProject({
    "script.yaml": script,
    ".cadre/agents/reader.md": agentFile("reader"),
    ".cadre/agents/asker.md": agentFile("asker"),
  });
  return { ...place, environment: { ...place.environment, ...environment } };
}

async function read(place: Project, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await cadre(place, words);
  expect(code, stderr).toBe(0);
  return stdout;
}

describe("cadre db migrate", () => {
  it("without an address says which one it expects", async () => {
    const { code, stderr } = await cadre(createPlace(), ["db", "migrate"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/`registry\.url` or CADRE_REGISTRY_URL.*none is set/);
  });

  it("refuses an address of another kind without repeating it", async () => {
    const place = createPlace({ CADRE_REGISTRY_URL: "mysql://u:secret@host/name" });
    const { code, stderr } = await cadre(place, ["runs"]);
    expect(code).toBe(2);
    expect(stderr).toContain("environment CADRE_REGISTRY_URL");
    expect(stderr).not.toContain("secret");
  });
});

it("cadre config shows no address of a registry, which may contain a password", async () => {
  const place = createPlace({ CADRE_REGISTRY_URL: "postgresql://u:secret@host/name" });
  const { stdout } = await cadre(place, ["config"]);
  expect(stdout).toMatch(/registry\.url\s+environment CADRE_REGISTRY_URL\s+"\(hidden\)"/);
  expect(stdout).not.toContain("secret");
});

describe.skipIf(postgresUrl === undefined)("a registry in PostgreSQL, for the command", () => {
  const createDatabasePlace = (): Project =>
    createPlace({
      CADRE_REGISTRY_URL: postgresUrl ?? "",
      CADRE_REGISTRY_SCHEMA: newSchema(),
    });

  it("is created by `cadre db migrate`, without which every command says so", async () => {
    const place = createDatabasePlace();
    const { code, stderr } = await cadre(place, ["runs"]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/no tables yet.*`cadre db migrate`/);
    const first = await start(place, ["db", "migrate"]).ended;
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/created the tables, schema version \d/) as string,
      stderr: "",
    });
    const { from, to } = JSON.parse(await read(place, "db", "migrate", "--json")) as {
      from: number;
      to: number;
    };
    expect(from).toBe(to);
  });

  it("has what runs, tree, show, events, conversations, cache and prune work with", async () => {
    const place = createDatabasePlace();
    await read(place, "db", "migrate");
    const { runId } = JSON.parse(await read(place, "run", "--json", "delegate")) as {
      runId: string;
    };
    expect(await read(place, "runs")).toContain(runId);
    expect(await read(place, "tree", "last")).toContain("reader");
    expect(await read(place, "show", runId)).toContain("answer to delegate");
    expect(await read(place, "events", runId)).toContain("run-finished");
    expect(await read(place, "conversations", "--search", "ANSWER TO")).toContain("delegate");
    await read(place, "run", "--continue", "go on");
    expect(JSON.parse(await read(place, "cache", "--json"))).toEqual({ entries: [] });
    expect(await read(place, "prune", "--older-than", "0s")).toContain("Deleted 3 runs");
    expect(JSON.parse(await read(place, "runs", "--json"))).toMatchObject({ runs: [] });
  });

  it("brings a question to another process, and its answer back", async () => {
    const place = createDatabasePlace();
    await read(place, "db", "migrate");
    const asking = ["--mode", "ask", "--sandbox", "off", "--wait-for-answers"];
    const run = start(place, ["run", "asker", "go", ...asking]);
    await run.said("needs approval");
    const { questions } = JSON.parse(await read(place, "questions", "--json")) as {
      questions: { id: string }[];
    };
    await read(place, "answer", questions[0]?.id ?? "", "yes");
    expect((await run.ended).code).toBe(0);
  });
});
