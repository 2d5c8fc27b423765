import { describe, expect, it } from "vitest";
import { executeSql, schemaOfFixture } from "../../fixtures/postgres/execute-sql.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  listWork,
  startReadyWorker,
  submit,
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, type Project, start } from "../command-line.ts";

const script = `scripts: [{ reply: { text: "answer to {{task}}" } }]`;

const poll = { timeout: 60_000, interval: 100 };

/** Checks that two workers refuse the family `id`, show `reason`, go on with others, and do not pass it to and fro. */
async function expectRefused(project: Project, id: string, reason: string): Promise<void> {
  const workers = [await startReadyWorker(project), await startReadyWorker(project)];
  await Promise.all(workers.map(async (worker) => await worker.said(`${id} cannot be executed`)));
  const waiting = async (): Promise<unknown> => (await listWork(project)).waiting;
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
    const project = await createWorkerFixture(script);
    const id = await submit(project, "hello");
    await executeSql(
      `UPDATE ${schemaOfFixture(project)}.work SET setting = (setting::jsonb || '{"later": true}')::text`,
    );
    await expectRefused(project, id, "A newer Cadre may have submitted it: update this worker.");
  });

  it("refuse a family with events that they do not know, and say to update them", async () => {
    const project = await createWorkerFixture(script);
    const id = await submit(project, "hello");
    const schema = schemaOfFixture(project);
    await executeSql(
      `INSERT INTO ${schema}.events (run_id, seq, at, type, data)
        SELECT run_id, max(seq) + 1, max(at), 'moon-phase', '{"phase":"full"}' FROM ${schema}.events GROUP BY run_id`,
    );
    await expectRefused(project, id, "A newer Cadre may have recorded it");
  });

  it("refuse a family with a damaged event, and go on with others", async () => {
    const project = await createWorkerFixture(script);
    const id = await submit(project, "hello");
    await executeSql(`UPDATE ${schemaOfFixture(project)}.events SET data = '{}'`);
    await expectRefused(project, id, "is damaged. It is unchanged: restore a backup.");
  });

  it("do not start over tables of a newer one", async () => {
    const project = await createWorkerFixture(script);
    await executeSql(`INSERT INTO ${schemaOfFixture(project)}.schema_version VALUES (99)`);
    const { code, stderr } = await start(project, ["worker"]).ended;
    expect(stderr).toContain("has schema version 99");
    expect(code).toBe(1);
  });
});
