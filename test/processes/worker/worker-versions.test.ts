import { describe, expect, it } from "vitest";
import { executeSql, schemaOfFixture } from "../../fixtures/postgres/execute-sql.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
  submit,
  waitingQuestion,
  poll,
  askingScript,
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, type Project, type Started } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

/** Starts a worker that does not drain, with a family that waits for the answer to its question. */
async function askOnWorker(project: Project): Promise<{ worker: Started; id: string }> {
  const worker = await startReadyWorker(project, "--drain", "0s");
  const { stdout } = await cadre(project, ["run", "--detach", "--mode", "ask", "ask"]);
  await expect.poll(() => waitingQuestion(project), poll).not.toBe("");
  return { worker, id: stdout.trim() };
}

/** Answers the question of a family and checks that the family succeeds. */
async function expectAnswered(project: Project, id: string): Promise<void> {
  const answer = async (): Promise<number | null> =>
    (await cadre(project, ["answer", await waitingQuestion(project), "yes"])).code;
  await expect.poll(answer, poll).toBe(0);
  const { stdout } = await cadre(project, ["attach", id, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "succeeded" });
}

/** Checks that two workers refuse the family `id`, show `reason`, continue with others, and do not pass it back and forth. */
async function expectRefused(project: Project, id: string, reason: string): Promise<void> {
  const workers = [await startReadyWorker(project), await startReadyWorker(project)];
  await Promise.all(
    workers.map(async (worker) => await worker.printed(`${id} cannot be executed`)),
  );
  const waiting = async (): Promise<unknown> => (await readPrintedWork(project)).waiting;
  const expected = [{ rootId: id, reason: expect.stringContaining(reason) as string }];
  await expect.poll(waiting, poll).toMatchObject(expected);
  const attempt = async (): Promise<unknown> =>
    (await executeSql(`SELECT attempt, refusals FROM ${schemaOfFixture(project)}.work`)).at(0);
  const before = await attempt();
  const other = await submit(project, "hello");
  expect((await cadre(project, ["attach", other, "--json"])).code).toBe(0);
  await expect.poll(waiting, poll).toMatchObject(expected);
  expect(await attempt()).toEqual(before);
  const state = `SELECT ended_at FROM ${schemaOfFixture(project)}.runs WHERE id = '${id}'`;
  expect(await executeSql(state)).toEqual([{ ended_at: null }]);
}

describe.skipIf(postgresUrl === undefined)("workers with an earlier version of Cadre", () => {
  it("refuse a family whose submission they do not understand, and say to update them", async () => {
    const project = await createWorkerFixture(askingScript);
    const id = await submit(project, "hello");
    await executeSql(
      `UPDATE ${schemaOfFixture(project)}.work SET setting = (setting::jsonb || '{"later": true}')::text`,
    );
    await expectRefused(project, id, "A newer Cadre may have submitted it: update this worker.");
  });

  it("refuse a family with events that they do not know, and say to update them", async () => {
    const project = await createWorkerFixture(askingScript);
    const id = await submit(project, "hello");
    const schema = schemaOfFixture(project);
    await executeSql(
      `INSERT INTO ${schema}.events (run_id, seq, at, type, data)
        SELECT run_id, max(seq) + 1, max(at), 'moon-phase', '{"phase":"full"}' FROM ${schema}.events GROUP BY run_id`,
    );
    await expectRefused(project, id, "A newer Cadre may have recorded it");
  });

  it("refuse a family with a damaged event, and continue with others", async () => {
    const project = await createWorkerFixture(askingScript);
    const id = await submit(project, "hello");
    await executeSql(`UPDATE ${schemaOfFixture(project)}.events SET data = '{}'`);
    await expectRefused(project, id, "is damaged. It is unchanged: restore a backup.");
  });

  it("do not start when the tables are of a newer version", async () => {
    const project = await createWorkerFixture(askingScript);
    await executeSql(`INSERT INTO ${schemaOfFixture(project)}.schema_version VALUES (99)`);
    const { code, stderr } = await start(project, ["worker"]).ended;
    expect(stderr).toContain("has schema version 99");
    expect(code).toBe(1);
  });

  it("leave their families to others and end when a newer version migrates the tables", async () => {
    const project = await createWorkerFixture(askingScript);
    const { worker, id } = await askOnWorker(project);
    await executeSql(`INSERT INTO ${schemaOfFixture(project)}.schema_version VALUES (99)`);
    const { code, stderr } = await worker.ended;
    expect(stderr).toContain(`${id} is left to another worker`);
    expect(stderr).toMatch(/^cadre: .*has schema version 99; this Cadre reads up to /m);
    expect(code).toBe(1);
    // Stands in for a worker of the newer version.
    await executeSql(`DELETE FROM ${schemaOfFixture(project)}.schema_version WHERE version = 99`);
    await startReadyWorker(project);
    await expectAnswered(project, id);
  });
});

describe.skipIf(postgresUrl === undefined)("families of an earlier version of Cadre", () => {
  it("continue when the tables were migrated", async () => {
    const project = await createWorkerFixture(askingScript);
    const { worker, id } = await askOnWorker(project);
    const waiting = await submit(project, "hello", "--needs", "gpu");
    worker.child.kill("SIGKILL");
    await worker.ended;
    const schema = schemaOfFixture(project);
    await executeSql(
      `ALTER TABLE ${schema}.work DROP COLUMN awaits; DELETE FROM ${schema}.schema_version WHERE version = 6`,
    );
    const { code, stderr } = await start(project, ["worker"]).ended;
    expect(stderr).toContain("Migrate it with `cadre db migrate`");
    expect(code).toBe(1);
    expect((await cadre(project, ["db", "migrate"])).stdout).toContain("from schema version 5 to");
    await startReadyWorker(project);
    await startReadyWorker(project, "--label", "gpu");
    await expectAnswered(project, id);
    expect((await cadre(project, ["attach", waiting, "--json"])).code).toBe(0);
  });
});
