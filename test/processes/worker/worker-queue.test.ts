import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../src/client.ts";
import { dbos } from "../../../src/dbos.ts";
import { type Cadre, type CadreOptions, createCadre } from "../../../src/index.ts";
import { postgres } from "../../../src/postgres.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
  submit,
  poll,
  askingScript,
} from "../../fixtures/postgres/worker-fixture.ts";
import { token } from "../../serve/serve-fixture.ts";
import { serve } from "../../serve/serve-process.ts";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

async function open(project: Project, options: CadreOptions): Promise<Cadre> {
  const { CADRE_REGISTRY_SCHEMA: schema = "" } = project.environment;
  const { path: cwd, home, environment } = project;
  const registry = postgres({ url: postgresUrl ?? "", schema });
  const opened = await createCadre({ cwd, home, environment, registry, ...options });
  onTestFinished(async () => await opened.close());
  return opened;
}

async function execute(text: string): Promise<void> {
  const client = new Client(postgresUrl);
  await client.connect();
  await client.query(text);
  await client.end();
}

async function statusOf(project: Project, id: string): Promise<string> {
  const { stdout } = await cadre(project, ["attach", id, "--json"]);
  return (JSON.parse(stdout) as { status: string }).status;
}

/** Returns the runs in the order in which they began. */
async function beginnings(project: Project): Promise<string[]> {
  const { stdout } = await cadre(project, ["runs", "--json"]);
  const { runs } = JSON.parse(stdout) as { runs: { id: string; startedAt: number | null }[] };
  const begun = runs.filter(({ startedAt }) => startedAt !== null);
  return begun
    .toSorted((one, other) => Number(one.startedAt) - Number(other.startedAt))
    .map(({ id }) => id);
}

async function runsOf(project: Project): Promise<{ task: string; status: string }[]> {
  const { stdout } = await cadre(project, ["runs", "--json"]);
  return (JSON.parse(stdout) as { runs: { task: string; status: string }[] }).runs;
}

/** Sets `engine: dbos` in the user's configuration. */
function configure(project: Project, more = ""): void {
  mkdirSync(join(project.home, ".cadre"), { recursive: true });
  writeFileSync(join(project.home, ".cadre", "config.yaml"), `engine: dbos\n${more}`);
}

describe("options of the queue", () => {
  const refused: [string, string[]][] = [
    ["Expected --priority together with --detach, or with the setting", ["--priority", "5"]],
    [
      "Expected --at or --after; got both",
      ["--detach", "--at", "2030-01-01T00:00Z", "--after", "1m"],
    ],
    ["Expected a time after --at such as", ["--detach", "--at", "tomorrow"]],
    ["a whole number from -100 to 100", ["--detach", "--priority", "1000"]],
    ["Expected a time such as", ["--detach", "--after", "soon"]],
    ["Expected --bg or --dedupe", ["--bg", "--dedupe", "k"]],
  ];
  it.each(refused)("are refused: %s", async (message, words) => {
    const project = createProject({ "script.yaml": askingScript });
    const environment = {
      ...project.environment,
      CADRE_REGISTRY_URL: "postgresql://127.0.0.1:1/x",
    };
    const { code, stderr } = await cadre({ ...project, environment }, ["run", "x", ...words]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it("are refused by the library where this process executes runs, and for wrong values", async () => {
    const { path: cwd, home, environment } = createProject({ "script.yaml": askingScript });
    const opened = await createCadre({ cwd, home, environment });
    onTestFinished(async () => await opened.close());
    const request = (queue: object): Promise<unknown> =>
      opened.spawn({ agent: "main", task: "x", queue });
    await expect(request({ priority: 1 })).rejects.toThrow("only runs for workers wait in a queue");
    await expect(request({ priority: 101 })).rejects.toThrow("queue.priority: ");
    await expect(request({ startAt: "2030-01-31" })).rejects.toThrow("queue.startAt: ");
    await expect(request({ dedupeKey: "" })).rejects.toThrow("queue.dedupeKey: ");
    await expect(request({ startAt: new Date(), startAfterSeconds: 1 })).rejects.toThrow(
      "`startAt` or `startAfterSeconds` is expected, got both",
    );
    expect(await opened.runs()).toEqual([]);
  });

  it("`engine: dbos` without a registry in PostgreSQL says what it needs", async () => {
    const project = createProject({ "script.yaml": askingScript });
    configure(project);
    const { code, stderr } = await cadre(project, ["run", "hello"]);
    expect(stderr).toContain("Expected a registry in PostgreSQL, which the workers share");
    expect(code).toBe(2);
    const other = createProject({ "script.yaml": askingScript });
    const environment = { ...other.environment, CADRE_ENGINE: "temporal" };
    const wrong = await cadre({ ...other, environment }, ["run", "hello"]);
    expect(wrong.stderr).toContain("Expected environment CADRE_ENGINE to be one of local, dbos");
  });
});

describe.skipIf(postgresUrl === undefined)("the queue of the workers", () => {
  it("is taken by priority, and then in order", async () => {
    const project = await createWorkerFixture(askingScript);
    const low = await submit(project, "low", "--priority", "-5");
    const first = await submit(project, "first");
    const second = await submit(project, "second");
    const high = await submit(project, "high", "--priority", "7");
    const { stdout } = await cadre(project, ["workers"]);
    expect(stdout).toContain("(priority 7) waits for ");
    await startReadyWorker(project, "--concurrency", "1");
    expect(await statusOf(project, low)).toBe("succeeded");
    expect(await beginnings(project)).toEqual([high, first, second, low]);
  });

  it("keeps a family until its start time, by the clock of the database", async () => {
    const project = await createWorkerFixture(askingScript);
    const after = await submit(project, "later", "--after", "59m");
    const never = await submit(project, "never", "--at", "2999-01-01T00:00:00+01:00");
    const { waiting } = await readPrintedWork(project);
    expect(waiting.map(({ rootId }) => rootId)).toEqual([after, never]);
    expect(waiting[0]?.startsInMs).toBeGreaterThan(3_500_000);
    expect(waiting[0]?.startsInMs).toBeLessThanOrEqual(3_600_000);
    expect((await cadre(project, ["workers"])).stdout).toMatch(/starts in 5[89]m/);
    await startReadyWorker(project);
    const now = await submit(project, "now");
    expect(await statusOf(project, now)).toBe("succeeded");
    expect(await beginnings(project)).toEqual([now]);
    // Simulates that an hour has passed.
    await execute(
      `UPDATE ${project.environment["CADRE_REGISTRY_SCHEMA"]}.work
        SET start_at = start_at - interval '1 hour' WHERE root_id = '${after}'`,
    );
    expect(await statusOf(project, after)).toBe("succeeded");
    expect(await beginnings(project)).toEqual([now, after]);
    // A run that waits for its time is cancelled like any other.
    expect((await cadre(project, ["cancel", never])).code).toBe(0);
    expect(await statusOf(project, never)).toBe("cancelled");
    await expect.poll(async () => (await readPrintedWork(project)).waiting, poll).toEqual([]);
  });

  it("starts one run for a key until that run has ended, even for simultaneous submitters", async () => {
    const project = await createWorkerFixture(askingScript);
    const submitters = await Promise.all(
      [1, 2, 3].map(async () => await open(project, { engine: dbos() })),
    );
    const request = { agent: "main", task: "hello", queue: { dedupeKey: "k \0 \ud800" } };
    const handles = await Promise.all(
      submitters.flatMap((one) => [one.spawn(request), one.spawn(request)]),
    );
    expect(new Set(handles.map(({ id }) => id)).size).toBe(1);
    const [handle] = handles;
    const { stdout, stderr } = await cadre(project, [
      "run",
      "--detach",
      "--dedupe",
      "other",
      "hello",
    ]);
    const again = await cadre(project, ["run", "--detach", "--dedupe", "other", "hello"]);
    expect(again.stdout).toBe(stdout);
    expect(stderr).not.toContain("No other run was started");
    expect(again.stderr).toContain(`The run ${stdout.trim()} with this key has not ended.`);
    await startReadyWorker(project);
    await handle?.result();
    const next = await submitters[0]?.spawn(request);
    expect(next?.id).not.toBe(handle?.id);
    await next?.result();
    const { runs } = JSON.parse((await cadre(project, ["runs", "--json"])).stdout) as {
      runs: object[];
    };
    expect(runs).toHaveLength(3);
  });

  it("frees the key of a request that starts no run", async () => {
    const project = await createWorkerFixture(askingScript);
    project.write(".cadre/config.yaml", "queue:\n  maxWaiting: 1\n");
    const words = ["--detach", "--trust", "--dedupe", "k", "hello"];
    const blocking = await submit(project, "--trust", "blocking");
    expect((await cadre(project, ["run", ...words])).stderr).toContain("`queue.maxWaiting`");
    expect((await cadre(project, ["cancel", blocking])).code).toBe(0);
    const { code, stdout } = await cadre(project, ["run", ...words]);
    expect(code).toBe(0);
    await startReadyWorker(project);
    expect(await statusOf(project, stdout.trim())).toBe("succeeded");
  });

  it("gets a run from `resume` that was recorded but not given to the workers", async () => {
    const project = await createWorkerFixture(askingScript);
    const recording = await open(project, { executes: false });
    const { id } = await recording.spawn({ agent: "main", task: "hello" });
    await recording.close({ leaveRuns: true });
    configure(project);
    await startReadyWorker(project);
    const { code, stdout } = await cadre(project, ["resume", id]);
    expect(stdout).toContain("answer to hello");
    expect(code).toBe(0);
    expect((await readPrintedWork(project)).workers).toMatchObject([{ families: [] }]);
  });
});

describe.skipIf(postgresUrl === undefined)("with the setting `engine: dbos`", () => {
  it("`cadre run` gives its run to a worker, shows it, and exits as it ends", async () => {
    const project = await createWorkerFixture(askingScript);
    configure(project, "queue: { needs: gpu }\nworker: { label: gpu, concurrency: 3 }\n");
    expect((await cadre(project, ["config"])).stdout).toMatch(/engine\s+\S+config.yaml:1\s+"dbos"/);
    const run = start(project, ["run", "--priority", "3", "hello"]);
    await expect
      .poll(async () => (await readPrintedWork(project)).waiting, poll)
      .toMatchObject([{ priority: 3, label: "gpu" }]);
    await startReadyWorker(project);
    const { code, stdout } = await run.ended;
    expect(stdout).toBe("answer to hello\n");
    expect(code).toBe(0);
    expect((await readPrintedWork(project)).workers).toMatchObject([
      { label: "gpu", concurrency: 3 },
    ]);
    const { stdout: events } = await cadre(project, ["run", "--events", "hello"]);
    const types = events
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types[0]).toBe("run-created");
    expect(types.at(-1)).toBe("run-finished");
  });

  it("Ctrl-C cancels the run at its worker", async () => {
    const project = await createWorkerFixture(askingScript);
    configure(project);
    await startReadyWorker(project, "--mode", "ask");
    const run = start(project, ["run", "--mode", "ask", "ask"]);
    await expect
      .poll(async () => (await cadre(project, ["questions"])).stdout, poll)
      .toContain("ask");
    run.child.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
  });

  it("schedules start their runs on workers", async () => {
    const project = await createWorkerFixture(askingScript);
    project.write(
      "look.yaml",
      "runs: [{ label: one, agent: helper, task: look }, { label: two, agent: helper, task: look }]",
    );
    const graph = "graph: { graph: look.yaml, queue: { priority: 7, dedupeKey: look } }";
    const trigger = `triggers: { look: { start: { agent: main, task: look, queue: { priority: 9 } } }, ${graph} }`;
    configure(
      project,
      `${trigger}\nschedules: { often: { cron: "* * * * * *", trigger: look, overlap: skip } }\n`,
    );
    const scheduler = start(project, ["schedule", "execute"], null);
    onTestFinished(() => void scheduler.child.kill("SIGKILL"));
    await scheduler.printed("The schedule often started ");
    const [family] = (await readPrintedWork(project)).waiting;
    expect(family).toMatchObject({ priority: 9 });
    const id = family?.rootId ?? "";
    // Of two starts with the same key, one starts the graph.
    const twice = [start(project, ["trigger", "graph"]), start(project, ["trigger", "graph"])];
    const prioritiesOf = async (): Promise<number[]> =>
      (await readPrintedWork(project)).waiting.map(({ priority }) => priority);
    await expect.poll(prioritiesOf, poll).toEqual([9, 7]);
    await startReadyWorker(project);
    for (const { ended } of twice) expect((await ended).code).toBe(0);
    const graphs = (await runsOf(project)).filter(({ task }) => task.startsWith("Run the graph"));
    expect(graphs).toMatchObject([{ status: "succeeded" }]);
    expect(await statusOf(project, id)).toBe("succeeded");
    const { stdout } = await cadre(project, ["trigger", "look"]);
    expect(stdout).toBe("answer to look\n");
    scheduler.child.kill("SIGTERM");
    expect((await scheduler.ended).code).toBe(0);
  });

  it("the HTTP API and its triggers submit to workers", async () => {
    const project = await createWorkerFixture(askingScript);
    configure(project, "triggers: { look: { start: { agent: main, task: look } } }\n");
    Object.assign(project.environment, { CADRE_SERVE_TOKEN: token });
    const { url } = await serve({ project: project });
    const client = createClient({ url, token });
    const queue = { dedupeKey: "k", priority: 2 };
    const { run } = await client.startRun({ agent: "main", task: "hello", queue });
    const same = await client.startRun({ agent: "main", task: "hello", queue });
    expect(same.run.id).toBe(run.id);
    const triggered = await client.startTrigger("look", {});
    expect((await readPrintedWork(project)).waiting.map(({ rootId }) => rootId)).toEqual([
      run.id,
      triggered.run.id,
    ]);
    await startReadyWorker(project);
    expect((await client.readResult(run.id)).result).toMatchObject({ text: "answer to hello" });
    expect((await client.readResult(triggered.run.id)).result).toMatchObject({
      text: "answer to look",
    });
    await expect(
      client.startRun({ agent: "main", task: "x", queue: { priority: 1000 } }),
    ).rejects.toThrow("/queue/priority");
  });
});
