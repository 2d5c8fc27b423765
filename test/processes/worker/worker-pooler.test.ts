import { describe, expect, it } from "vitest";
import { executeSql, schemaOfFixture } from "../../fixtures/postgres/execute-sql.ts";
import { hasPgbouncer, startPooler } from "../../fixtures/postgres/pooler.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  startReadyWorker,
  submit,
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, type Project } from "../../cli/command-line.ts";

const script = `scripts: [{ reply: { text: "answer to {{task}}" } }]`;

function through(url: string, project: Project): Project {
  return { ...project, environment: { ...project.environment, CADRE_REGISTRY_URL: url } };
}

describe.skipIf(postgresUrl === undefined || !hasPgbouncer())("workers behind PgBouncer", () => {
  it.each([["worker"], ["run --detach hello"], ["db migrate"]])(
    "`cadre %s` refuses one in transaction mode, and leaves no lock and no run",
    async (words) => {
      const project = await createWorkerFixture(script);
      const url = await startPooler("transaction");
      const { code, stderr } = await cadre(through(url, project), words.split(" "));
      expect(stderr).toMatch(/PgBouncer with pool_mode = transaction.*Use pool_mode = session/);
      expect(code).toBe(1);
      const { stdout } = await cadre(project, ["runs", "--json"]);
      expect(JSON.parse(stdout)).toEqual({ runs: [] });
      const lock = `hashtextextended('cadre ${schemaOfFixture(project)}_dbos', 0)`;
      expect(await executeSql(`SELECT pg_try_advisory_lock(${lock}) AS free`)).toEqual([
        { free: true },
      ]);
    },
  );

  it("migrate, submit and execute in session mode", async () => {
    const direct = await createWorkerFixture(script);
    const project = through(await startPooler("session"), direct);
    expect(await cadre(project, ["db", "migrate"])).toMatchObject({ code: 0, stderr: "" });
    await startReadyWorker(project);
    const id = await submit(project, "hello");
    const { stdout } = await cadre(project, ["attach", id, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "succeeded", text: "answer to hello" });
  });
});
