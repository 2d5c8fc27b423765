import { describe, expect, it, onTestFinished } from "vitest";
import { dbos } from "../../../src/dbos.ts";
import { type Cadre, type CadreOptions, createCadre } from "../../../src/index.ts";
import { postgres } from "../../../src/postgres.ts";
import { ownerCheckMs } from "../../../src/engine/schedule/watch-runs.ts";
import { createFakeClock } from "../../fixtures/fake-clock.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
  poll,
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, type Project } from "../../cli/command-line.ts";

const script = 'scripts: [{ reply: { text: "answer to {{task}}" } }]\n';
async function open(project: Project, options: CadreOptions): Promise<Cadre> {
  const { CADRE_REGISTRY_SCHEMA: schema = "" } = project.environment;
  const { path: cwd, home, environment } = project;
  const registry = postgres({ url: postgresUrl ?? "", schema });
  const opened = await createCadre({ cwd, home, environment, registry, ...options });
  onTestFinished(async () => await opened.close({ leaveRuns: true }));
  return opened;
}

async function reasonsOf(project: Project): Promise<Record<string, string | null>> {
  const { waiting } = await readPrintedWork(project);
  return Object.fromEntries(waiting.map(({ rootId, reason }) => [rootId, reason]));
}

async function warningsOf(project: Project, id: string): Promise<string[]> {
  const { stdout } = await cadre(project, ["events", id, "--json"]);
  expect(stdout).toContain("run-created");
  return stdout.split("\n").filter((line) => line.includes("warning-raised"));
}

const patience = { patienceMs: 60_000 };
const noWorker = "No worker with the label gpu is alive. Start one: cadre worker --label gpu";

describe.skipIf(postgresUrl === undefined)("a family that depends on another one", () => {
  it("waits for it, and only a worker with the needed label executes it", async () => {
    const project = await createWorkerFixture(script);
    const elsewhere = await open(project, { engine: dbos({ label: "gpu" }) });
    const first = await elsewhere.spawn({ agent: "main", task: "one" });
    const here = await open(project, { engine: dbos() });
    const request = { agent: "main", dependsOn: first.id, includeDependencyResult: true };
    const second = await here.spawn({ ...request, task: "two" });
    await startReadyWorker(project);
    const held = `It depends on runs that have not ended: ${first.id}.`;
    const expected = { [first.id]: noWorker, [second.id]: held };
    await expect.poll(async () => await reasonsOf(project), poll).toEqual(expected);
    expect((await second.state()).startedAt).toBeNull();
    await startReadyWorker(project, "--label", "gpu");
    expect((await first.result()).text).toBe("answer to one");
    expect((await second.result()).text).toContain("answer to one");
    expect(await warningsOf(project, second.id)).toEqual([]);
  });

  it("ends with it, at once, when it may not begin: its start time is not waited for", async () => {
    const project = await createWorkerFixture(script);
    const submitter = await open(project, { engine: dbos() });
    const queue = { startAfterSeconds: 3600 };
    const later = await submitter.spawn({ agent: "main", task: "later", queue });
    const other = await submitter.spawn({ agent: "main", task: "other", queue });
    const dependsOn = [later.id, other.id];
    const after = await submitter.spawn({ agent: "main", task: "after", dependsOn });
    const anyway = await submitter.spawn({
      agent: "main",
      task: "anyway",
      dependsOn,
      onDependencyError: "run",
    });
    await startReadyWorker(project);
    const held = `It depends on runs that have not ended: ${later.id}, ${other.id}.`;
    const reasonOf = async (id: string): Promise<unknown> => (await reasonsOf(project))[id];
    for (const { id } of [after, anyway]) await expect.poll(() => reasonOf(id), poll).toBe(held);
    expect((await later.state()).startedAt).toBeNull();
    await later.cancel("not today");
    expect((await after.result()).failure).toMatchObject({ code: "dependency-failed" });
    const left = `It depends on runs that have not ended: ${other.id}.`;
    await expect.poll(() => reasonOf(anyway.id), poll).toBe(left);
    await other.cancel("nor that");
    expect((await anyway.result()).text).toContain("anyway");
  });

  it("occupies no worker while it waits", async () => {
    const project = await createWorkerFixture(script);
    const submitter = await open(project, { engine: dbos() });
    const queue = { priority: -1 };
    const first = await submitter.spawn({ agent: "main", task: "one", queue });
    const after = await Promise.all(
      ["two", "three"].map((task) =>
        submitter.spawn({ agent: "main", task, dependsOn: first.id, queue: { priority: 1 } }),
      ),
    );
    await startReadyWorker(project, "--concurrency", "1");
    for (const run of [first, ...after]) expect((await run.result()).status).toBe("succeeded");
    expect(await readPrintedWork(project)).toMatchObject({
      waiting: [],
      workers: [{ families: [] }],
    });
  });

  it("is resumed by another process without the families of workers", async () => {
    const project = await createWorkerFixture(script);
    const submitter = await open(project, { engine: dbos() });
    const first = await submitter.spawn({ agent: "main", task: "one" });
    const recording = await open(project, { executes: false });
    const second = await recording.spawn({ agent: "main", task: "two", dependsOn: first.id });
    await recording.close({ leaveRuns: true });
    const clock = createFakeClock(Date.now());
    const local = await open(project, { clock });
    await local.resume(second.id);
    const running = await local.find(second.id);
    // The second check of owners begins when the first one, which marks lost runs, is done.
    for (let checks = 0; checks < 2; checks += 1) await clock.elapse(ownerCheckMs, patience);
    expect((await running.state()).status).toBe("waiting");
    expect((await first.state()).startedAt).toBeNull();
    expect(Object.keys(await reasonsOf(project))).toEqual([first.id]);
    expect(await warningsOf(project, second.id)).toEqual([]);
    await startReadyWorker(project);
    expect((await running.result()).text).toBe("answer to two");
  });
});
