import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
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
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";

/** A run that asks before its command, and another run that takes a moment and delegates. */
const script = `scripts:
  - when: { task: ask, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "echo asked >> done" } }] }
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: helper, prompt: help } }] }
  - when: { task: wait, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "echo begun >> done; while [ ! -e go ]; do sleep 0.05; done; echo over >> done" } }] }
  - reply: { text: "answer to {{task}}" }
`;

async function attach(project: Project, id: string): Promise<{ status: string; text: string }> {
  const { stdout, stderr } = await cadre(project, ["attach", id, "--json"]);
  expect(stderr).not.toContain("No process executes it");
  return JSON.parse(stdout) as { status: string; text: string };
}

const read = (project: Project): string => readFileSync(join(project.path, "done"), "utf8");

describe("workers without a registry in PostgreSQL", () => {
  it.each([["worker"], ["workers"], ["run --detach hello"]])(
    "cadre %s says what it needs",
    async (words) => {
      const project = createProject({ "script.yaml": "scripts: [{ reply: { text: hi } }]" });
      const { code, stderr } = await cadre(project, words.split(" "));
      expect(code).toBe(2);
      expect(stderr).toContain("CADRE_REGISTRY_URL");
      const { stdout } = await cadre(project, ["runs", "--json"]);
      expect(JSON.parse(stdout)).toEqual({ runs: [] });
    },
  );

  it("refuses options that do not go together", async () => {
    const project = createProject({});
    const run = async (...words: string[]): Promise<string> =>
      (await cadre(project, ["run", "x", ...words])).stderr;
    expect(await run("--needs", "gpu")).toContain("Expected --needs together with --detach");
    expect(await run("--detach", "--bg")).toContain("Expected --bg or --detach; got both");
    expect(await run("--detach", "--events")).toContain("Expected --detach or --events; got both");
  });
});

describe.skipIf(postgresUrl === undefined)("cadre run --detach", () => {
  it("waits for a worker, shows why, and is executed by the first one that starts", async () => {
    const project = await createWorkerFixture(script);
    const { stdout, stderr } = await cadre(project, ["run", "--detach", "delegate"]);
    const id = stdout.trim();
    expect(stderr).toContain("It waits. No worker is alive. Start one: cadre worker");
    expect((await readPrintedWork(project)).waiting).toMatchObject([{ rootId: id }]);
    expect((await cadre(project, ["resume"])).stderr).not.toContain(id);
    await startReadyWorker(project);
    expect(await attach(project, id)).toMatchObject({ status: "succeeded" });
    const tree = await cadre(project, ["tree", id, "--json"]);
    expect(tree.stdout).toContain("helper");
    await expect.poll(async () => (await readPrintedWork(project)).waiting, poll).toEqual([]);
  });

  it("asks through the registry, and takes answers, messages and cancellations from anywhere", async () => {
    const project = await createWorkerFixture(script);
    await startReadyWorker(project);
    const { stdout } = await cadre(project, ["run", "--detach", "--mode", "ask", "ask"]);
    const id = stdout.trim();
    const questions = async (): Promise<{ id: string }[]> =>
      (
        JSON.parse((await cadre(project, ["questions", "--json"])).stdout) as {
          questions: { id: string }[];
        }
      ).questions;
    await expect.poll(questions, poll).toHaveLength(1);
    expect((await readPrintedWork(project)).workers).toMatchObject([{ families: [id] }]);
    expect((await cadre(project, ["send", id, "be quick"])).code).toBe(0);
    const [question] = await questions();
    expect((await cadre(project, ["answer", question?.id ?? "", "yes"])).code).toBe(0);
    expect(await attach(project, id)).toMatchObject({ status: "succeeded" });
    expect(read(project)).toBe("asked\n");
    const other = (await cadre(project, ["run", "--detach", "--mode", "ask", "ask"])).stdout.trim();
    await expect.poll(questions, poll).toHaveLength(1);
    expect((await cadre(project, ["cancel", other])).code).toBe(0);
    expect(await attach(project, other)).toMatchObject({ status: "cancelled" });
  });

  it("is refused when too many wait, and cancelled while it waits", async () => {
    const project = await createWorkerFixture(script);
    project.write(".cadre/config.yaml", "queue:\n  maxWaiting: 1\n");
    const id = await submit(project, "wait", "--trust");
    const { code, stderr } = await cadre(project, ["run", "--detach", "--trust", "wait"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "Expected fewer than 1 families to wait for a worker (`queue.maxWaiting`); 1 do.",
    );
    expect(JSON.parse((await cadre(project, ["runs", "--json"])).stdout)).toMatchObject({
      runs: [{ id }],
    });
    expect((await cadre(project, ["cancel", id])).code).toBe(0);
    expect(await attach(project, id)).toMatchObject({ status: "cancelled" });
  });

  it("is found by a worker when the queue lost it", { timeout: 120_000 }, async () => {
    const project = await createWorkerFixture(script);
    const id = await submit(project, "hello");
    const { CADRE_REGISTRY_SCHEMA: schema = "" } = project.environment;
    const client = new Client(postgresUrl);
    await client.connect();
    const { rowCount } = await client.query(`DELETE FROM ${schema}_dbos.workflow_status`);
    await client.end();
    expect(rowCount).toBe(1);
    await startReadyWorker(project);
    expect(await attach(project, id)).toMatchObject({ status: "succeeded" });
  });

  it("reaches only workers with the label that it needs", async () => {
    const project = await createWorkerFixture(script);
    await startReadyWorker(project);
    const id = await submit(project, "hello", "--needs", "gpu");
    expect((await readPrintedWork(project)).waiting).toMatchObject([
      {
        rootId: id,
        reason: "No worker with the label gpu is alive. Start one: cadre worker --label gpu",
      },
    ]);
    await startReadyWorker(project, "--label", "gpu");
    expect(await attach(project, id)).toMatchObject({ status: "succeeded" });
  });

  it("shows why no worker can execute it, and goes to the first that can", async () => {
    const project = await createWorkerFixture(script);
    project.write(
      "agents/odd.md",
      "---\nname: odd\ndescription: Is odd.\nmodel: scripted:other.yaml\n---\nBe odd.\n",
    );
    project.write("other.yaml", "scripts: [{ reply: { text: odd } }]");
    const id = await submit(project, "--trust", "./agents/odd.md", "hello");
    const first = await startReadyWorker(project);
    await first.printed(`${id} cannot be executed here`);
    await expect
      .poll(async () => (await readPrintedWork(project)).waiting, poll)
      .toMatchObject([
        { rootId: id, reason: expect.stringContaining("No worker can execute it: ") as string },
      ]);
    await startReadyWorker(project, "--trust");
    expect(await attach(project, id)).toMatchObject({ status: "succeeded", text: "odd" });
  });
});

describe.skipIf(postgresUrl === undefined)("cadre worker", () => {
  it("leaves its families to another worker at SIGTERM, which continues them at once", async () => {
    const project = await createWorkerFixture(script);
    const first = await startReadyWorker(project, "--drain", "0s");
    const id = await submit(project, "ask");
    await attach(project, id);
    const left = (await cadre(project, ["run", "--detach", "--mode", "ask", "ask"])).stdout.trim();
    await expect
      .poll(async () => (await cadre(project, ["questions"])).stdout, poll)
      .toContain("ask");
    await startReadyWorker(project);
    first.child.kill("SIGTERM");
    const { code, stderr } = await first.ended;
    expect(stderr).toContain(`${left} is left to another worker`);
    expect(code).toBe(0);
    await expect
      .poll(async () => (await readPrintedWork(project)).workers, poll)
      .toMatchObject([{ families: [left] }]);
  });

  it("waits for its families for the time that --drain sets", async () => {
    const project = await createWorkerFixture(script);
    const worker = await startReadyWorker(project, "--drain", "60s");
    const id = await submit(project, "wait");
    await expect.poll(() => attempt(() => read(project)), poll).toBe("begun\n");
    worker.child.kill("SIGTERM");
    project.write("go", "");
    expect((await worker.ended).code).toBe(0);
    expect(await attach(project, id)).toMatchObject({ status: "succeeded" });
    expect(read(project)).toBe("begun\nover\n");
  });

  it("takes over the families of one that was killed", async () => {
    const project = await createWorkerFixture(script);
    const first = await startReadyWorker(project);
    const id = (await cadre(project, ["run", "--detach", "--mode", "ask", "ask"])).stdout.trim();
    await expect
      .poll(async () => (await cadre(project, ["questions"])).stdout, poll)
      .toContain("ask");
    const second = await startReadyWorker(project);
    first.child.kill("SIGKILL");
    await first.ended;
    await expect
      .poll(async () => (await readPrintedWork(project)).workers, poll)
      .toMatchObject([{ pid: second.child.pid, families: [id] }]);
    await expect
      .poll(async () => {
        const { stdout } = await cadre(project, ["questions", "--json"]);
        const [question] = (JSON.parse(stdout) as { questions: { id: string }[] }).questions;
        return (await cadre(project, ["answer", question?.id ?? "", "yes"])).code;
      }, poll)
      .toBe(0);
    expect(await attach(project, id)).toMatchObject({ status: "succeeded" });
    expect(read(project)).toBe("asked\n");
  });
});

describe.skipIf(postgresUrl === undefined)("a worker that takes over from a silent one", () => {
  it("waits for the end of its lease on the runs, which may be later than the end of its own signs of life", async () => {
    const project = await createWorkerFixture(script);
    const { stdout } = await cadre(project, ["run", "--detach", "--mode", "ask", "ask"]);
    const id = stdout.trim();
    const schema = schemaOfFixture(project);
    await executeSql(
      `INSERT INTO ${schema}.owners VALUES ('silent', 'elsewhere', 'elsewhere', 1, '', clock_timestamp());
        UPDATE ${schema}.runs SET owner = 'silent'; UPDATE ${schema}.work SET worker = 'silent'`,
    );
    const { child } = await startReadyWorker(project);
    const takenBy = async (): Promise<unknown> =>
      (await readPrintedWork(project)).workers.find(({ pid }) => pid === child.pid)?.families;
    await expect.poll(takenBy, poll).toEqual([id]);
    await executeSql(`DELETE FROM ${schema}.owners WHERE id = 'silent'`);
    await expect.poll(() => waitingQuestion(project), poll).not.toBe("");
    expect(await executeSql(`SELECT attempt FROM ${schema}.work`)).toEqual([{ attempt: 2 }]);
  });
});

function attempt(action: () => string): string {
  try {
    return action();
  } catch {
    return "";
  }
}
