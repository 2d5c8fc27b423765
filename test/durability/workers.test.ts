import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cadre, createCadre, type RunHandle } from "../../src/index.ts";
import { dbos } from "../../src/dbos.ts";
import { postgres } from "../../src/postgres.ts";
import { readProcess } from "../../src/source/read-process.ts";
import type { Project, Started } from "../cli/command-line.ts";
import { isLong } from "../is-long.ts";
import { startPrivateServer } from "../fixtures/postgres/private-server.ts";
import { startProxy } from "../fixtures/postgres/proxy.ts";
import { postgresUrl } from "../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
} from "../fixtures/postgres/worker-fixture.ts";

/** The number of families. The long version kills more often. */
const familyCount = isLong ? 300 : 100;
const killCount = isLong ? 200 : 8;

/** Two commands, each of which writes a line, and a sub-agent with a command between them. */
const script = `scripts:
  - when: { task: family, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "sleep 0.1; echo line >> log" } }] }
  - when: { task: family, turn: 1 }
    reply: { calls: [{ tool: Agent, input: { type: helper, prompt: help } }] }
  - when: { agent: helper, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "echo line >> log" } }] }
  - reply: { text: done }
`;

async function openSubmitter(project: Project, url = postgresUrl ?? ""): Promise<Cadre> {
  const { CADRE_REGISTRY_SCHEMA: schema = "" } = project.environment;
  const cadre = await createCadre({
    cwd: project.path,
    home: project.home,
    environment: project.environment,
    registry: postgres({ url, schema }),
    engine: dbos(),
    mode: "auto",
    sandbox: "off",
  });
  onTestFinished(async () => await cadre.close());
  return cadre;
}

async function submitAll(cadre: Cadre, count: number): Promise<RunHandle[]> {
  return await Promise.all(
    Array.from(
      { length: count },
      async (_, at) => await cadre.spawn({ agent: "main", task: `family ${at}` }),
    ),
  );
}

/** Checks that every family ended once, with one sub-agent, and that no command was executed twice. */
async function expectAllOnce(
  cadre: Cadre,
  project: Project,
  runs: readonly RunHandle[],
): Promise<void> {
  let executed = 0;
  for (const run of runs) {
    const family = await cadre.tree(run.id);
    expect(family.map(({ agent, result }) => `${agent} ${result?.status}`)).toEqual([
      "main succeeded",
      "helper succeeded",
    ]);
    for (const { id } of family) {
      const journal = await (await cadre.find(id)).journal();
      expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, at) => at + 1));
      expect(journal.filter(({ type }) => type === "run-finished")).toHaveLength(1);
      const keys = journal.flatMap((event) => (event.type === "step-finished" ? [event.key] : []));
      expect(new Set(keys).size).toBe(keys.length);
      executed += keys.filter((key) => key.startsWith("tool/")).length;
    }
  }
  // Each family has two commands and a delegation. An interrupted command is not repeated and may have written no line.
  expect(executed).toBe(runs.length * 3);
  const log = join(project.path, "log");
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
  expect(lines).toBeLessThanOrEqual(runs.length * 2);
  expect(lines).toBeGreaterThanOrEqual(runs.length * 2 - killCount * 16);
}

async function startWorkers(project: Project, count: number): Promise<Started[]> {
  return await Promise.all(
    Array.from(
      { length: count },
      async () => await startReadyWorker(project, "--concurrency", "8"),
    ),
  );
}

describe.skipIf(postgresUrl === undefined)("families on workers", () => {
  test("are neither lost nor doubled when workers are killed", { timeout: 900_000 }, async () => {
    const project = await createWorkerFixture(script);
    const cadre = await openSubmitter(project);
    const workers = await startWorkers(project, 3);
    const runs = await submitAll(cadre, familyCount);
    const all = Promise.all(runs.map(async (run) => await run.result()));
    const next = [0, 1, 2];
    for (let kill = 0; kill < killCount; kill += 1) {
      const at = next[kill % 3] ?? 0;
      workers[at]?.child.kill("SIGKILL");
      await workers[at]?.ended;
      workers[at] = await startReadyWorker(project, "--concurrency", "8");
    }
    await all;
    await expectAllOnce(cadre, project, runs);
    await expect
      .poll(async () => (await readPrintedWork(project)).waiting, { timeout: 30_000 })
      .toEqual([]);
  });

  test(
    "go on elsewhere when a worker stands still, which then does nothing twice",
    { timeout: 300_000 },
    async () => {
      const project = await createWorkerFixture(script);
      const cadre = await openSubmitter(project);
      const [silent] = await startWorkers(project, 1);
      const runs = await submitAll(cadre, 8);
      await expect
        .poll(async () => (await readPrintedWork(project)).workers[0]?.families.length, {
          timeout: 30_000,
        })
        .toBeGreaterThan(0);
      silent?.child.kill("SIGSTOP");
      await expect.poll(() => readProcess(silent?.child.pid ?? 0)?.isStopped).toBe(true);
      await startWorkers(project, 1);
      await Promise.all(runs.map(async (run) => await run.result()));
      silent?.child.kill("SIGCONT");
      // It works again, with a new lease.
      const more = await submitAll(cadre, 8);
      await Promise.all(more.map(async (run) => await run.result()));
      await expectAllOnce(cadre, project, [...runs, ...more]);
      expect(silent?.child.exitCode).toBeNull();
    },
  );

  test(
    "survive restarts and outages of the database under load",
    { timeout: 600_000 },
    async () => {
      const server = await startPrivateServer();
      onTestFinished(server.stop);
      const proxy = await startProxy(server.url);
      onTestFinished(proxy.close);
      const project = await createWorkerFixture(script, { url: proxy.url });
      const cadre = await openSubmitter(project, proxy.url);
      await startWorkers(project, 2);
      const runs = await submitAll(cadre, isLong ? 300 : 40);
      const all = Promise.all(runs.map(async (run) => await run.result()));
      for (let time = 0; time < (isLong ? 5 : 1); time += 1) {
        await delay(1000);
        await server.restart();
      }
      await delay(1000);
      proxy.cut();
      await delay(isLong ? 30_000 : 3000);
      proxy.open();
      await all;
      await expectAllOnce(cadre, project, runs);
    },
  );
});
