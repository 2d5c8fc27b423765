import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmdirSync, statSync } from "node:fs";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMount } from "../../fixtures/disk.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
  submit,
  waitingQuestion,
  poll,
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, type Project } from "../../cli/command-line.ts";

const script = `scripts:
  - when: { task: ask, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "echo asked >> done; head -c 15000 /dev/urandom | base64 -w 0" } }] }
  - reply: { text: "answer to {{task}}" }
`;

/** The disk that holds the events of a registry. */
interface SmallDisk {
  fill(): Promise<void>;
  free(): Promise<void>;
}

/** Moves the events of a registry to a file system of 4 MB. */
async function moveToSmallDisk({ environment }: Project): Promise<SmallDisk> {
  const schema = environment["CADRE_REGISTRY_SCHEMA"] ?? "";
  const client = new Client(postgresUrl);
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
  const { uid, gid } = statSync(rows[0]?.data_directory ?? "");
  const folder = mkdtempSync("/tmp/cadre-disk-");
  const options = `size=4m,mode=700,uid=${uid},gid=${gid}`;
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  onTestFinished(async () => {
    await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.query(`DROP TABLESPACE ${schema}`);
    await client.end();
    execFileSync("umount", [folder]);
    rmdirSync(folder);
  });
  await client.query(`CREATE TABLESPACE ${schema} LOCATION '${folder}'`);
  await client.query(`ALTER TABLE ${schema}.events SET TABLESPACE ${schema}`);
  return {
    async fill() {
      await client.query(`CREATE TABLE ${schema}.filler (data text) TABLESPACE ${schema}`);
      await client.query(`ALTER TABLE ${schema}.filler ALTER data SET STORAGE PLAIN`);
      const insert = `INSERT INTO ${schema}.filler SELECT repeat('x', 7000) FROM generate_series(1, 20)`;
      const filling = async (): Promise<never> => {
        for (;;) await client.query(insert);
      };
      await expect(filling()).rejects.toMatchObject({ code: "53100" });
    },
    free: async () => void (await client.query(`DROP TABLE ${schema}.filler`)),
  };
}

describe.skipIf(postgresUrl === undefined || !canMount())(
  "when the disk of the database is full",
  () => {
    it("no run is lost or fails: it continues when there is space again", async () => {
      const project = await createWorkerFixture(script);
      const disk = await moveToSmallDisk(project);
      const worker = await startReadyWorker(project);
      const { stdout } = await cadre(project, ["run", "--detach", "--mode", "ask", "ask"]);
      const id = stdout.trim();
      await expect.poll(() => waitingQuestion(project), poll).not.toBe("");
      const asked = await waitingQuestion(project);
      await disk.fill();
      await cadre(project, ["answer", asked, "yes"]);
      await worker.printed("is full");
      // A submitter gets an error at this time, and no half-recorded run.
      const task = randomBytes(20_000).toString("hex");
      const refused = await cadre(project, ["run", "--detach", task]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("The disk of the server of the registry");
      await disk.free();
      await expect
        .poll(async () => {
          // The command may have been interrupted, and then asks again.
          const waiting = await waitingQuestion(project);
          if (waiting !== "") await cadre(project, ["answer", waiting, "yes"]);
          return JSON.parse((await cadre(project, ["show", id, "--json"])).stdout) as object;
        }, poll)
        .toMatchObject({ run: { status: "succeeded" } });
      expect(worker.child.exitCode).toBeNull();
      const next = await submit(project, "hello");
      const { stdout: result } = await cadre(project, ["attach", next, "--json"]);
      expect(JSON.parse(result)).toMatchObject({ status: "succeeded" });
      await expect.poll(async () => (await readPrintedWork(project)).waiting, poll).toEqual([]);
    });
  },
);
