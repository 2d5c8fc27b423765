import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { postgresUrl } from "../fixtures/postgres/test-schema.ts";
import {
  createWorkerPlace,
  listWork,
  startReadyWorker,
  submit,
} from "../fixtures/postgres/worker-place.ts";
import { cadre, type Project, start } from "./command-line.ts";

const script = `scripts:
  - when: { task: ask, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "echo asked >> done" } }] }
  - reply: { text: "answer to {{task}}" }
`;

const poll = { timeout: 60_000, interval: 100 };

async function execute(text: string): Promise<void> {
  const client = new Client(postgresUrl);
  await client.connect();
  await client.query(text);
  await client.end();
}

const schemaOf = (place: Project): string => place.environment["CADRE_REGISTRY_SCHEMA"] ?? "";

/** The same place for processes whose clock differs by some hours. */
function atAnotherTime(place: Project, hours: number): Project {
  const file = join(place.home, `clock-${hours}.mjs`);
  writeFileSync(
    file,
    `const now = Date.now;
    const shift = ${hours * 3_600_000};
    globalThis.Date = class extends Date {
      constructor(...given) { super(...(given.length === 0 ? [now() + shift] : given)); }
      static now() { return now() + shift; }
    };\n`,
  );
  const environment = { ...place.environment, NODE_OPTIONS: `--import=${file}` };
  return { ...place, environment };
}

async function waitingQuestion(place: Project): Promise<string> {
  const { stdout } = await cadre(place, ["questions", "--json"]);
  const { questions } = JSON.parse(stdout) as { questions: { id: string }[] };
  return questions[0]?.id ?? "";
}

describe.skipIf(postgresUrl === undefined)("workers whose clocks are hours apart", () => {
  it("take over from each other when one dies, and not before", { timeout: 180_000 }, async () => {
    const place = await createWorkerPlace(script);
    const early = await startReadyWorker(atAnotherTime(place, -7), "--mode", "ask");
    const { stdout } = await cadre(place, ["run", "--detach", "--mode", "ask", "ask"]);
    const id = stdout.trim();
    await expect.poll(() => waitingQuestion(place), poll).not.toBe("");
    const late = await startReadyWorker(atAnotherTime(place, 7), "--mode", "ask");
    // A start time counts by the clock of the database, so neither worker takes this one.
    const later = await submit(place, "later", "--after", "1h");
    // After some rounds of both workers, the first one still has the family.
    const hello = await submit(place, "hello");
    expect((await cadre(place, ["attach", hello, "--json"])).code).toBe(0);
    const familiesOf = async (pid: number | undefined): Promise<string[] | undefined> =>
      (await listWork(place)).workers.find((worker) => worker.pid === pid)?.families;
    expect(await familiesOf(early.child.pid)).toEqual([id]);
    early.child.kill("SIGKILL");
    await early.ended;
    await expect.poll(() => familiesOf(late.child.pid), poll).toEqual([id]);
    await expect
      .poll(async () => {
        const question = await waitingQuestion(place);
        return (await cadre(place, ["answer", question, "yes"])).code;
      }, poll)
      .toBe(0);
    const { stdout: result } = await cadre(place, ["attach", id, "--json"]);
    expect(JSON.parse(result)).toMatchObject({ status: "succeeded" });
    expect((await listWork(place)).waiting).toMatchObject([{ rootId: later }]);
  });
});

describe.skipIf(postgresUrl === undefined)("a worker with another version of Cadre", () => {
  it("refuses a family whose submission it does not understand, and says to update it", async () => {
    const place = await createWorkerPlace(script);
    const id = await submit(place, "hello");
    await execute(
      `UPDATE ${schemaOf(place)}.work SET setting = (setting::jsonb || '{"later": true}')::text`,
    );
    const worker = await startReadyWorker(place);
    await worker.said("A newer Cadre may have submitted it: update this worker.");
    await expect
      .poll(async () => (await listWork(place)).waiting, poll)
      .toMatchObject([
        { rootId: id, reason: expect.stringContaining("update this worker") as string },
      ]);
  });

  it("does not start over tables of a newer one", async () => {
    const place = await createWorkerPlace(script);
    await execute(`INSERT INTO ${schemaOf(place)}.schema_version VALUES (99)`);
    const { code, stderr } = await start(place, ["worker"]).ended;
    expect(stderr).toContain("has schema version 99");
    expect(code).toBe(2);
  });
});

describe.skipIf(postgresUrl === undefined)("a user without rights to the queue", () => {
  it("is told which rights are missing, before a run is recorded", async () => {
    const place = await createWorkerPlace(script);
    const schema = schemaOf(place);
    await execute(
      `CREATE ROLE ${schema} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${schema};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${schema}`,
    );
    const url = new URL(postgresUrl ?? "");
    url.username = schema;
    const environment = { ...place.environment, CADRE_REGISTRY_URL: url.href };
    const words = ["run", "--detach", "hello"];
    const { code, stderr } = await cadre({ ...place, environment }, words);
    expect(stderr).toContain(
      `GRANT USAGE on the schema ${schema}_dbos, and SELECT, INSERT, UPDATE and DELETE on its tables`,
    );
    expect(code).not.toBe(0);
    expect(JSON.parse((await cadre(place, ["runs", "--json"])).stdout)).toEqual({ runs: [] });
  });
});
