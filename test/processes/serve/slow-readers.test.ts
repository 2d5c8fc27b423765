import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { openRegistry } from "../../../src/registry/sqlite/sqlite-registry.ts";
import { created, finished } from "../../fixtures/run-spec.ts";
import { isLong } from "../../is-long.ts";
import { authorized, createServedProject, readEvents } from "../../serve/serve-fixture.ts";
import { serve } from "../../serve/serve-process.ts";

const readers = isLong ? 1000 : 40;
const events = 20_000;

/** Writes a journal of 40 MB into the state folder. */
async function fillJournal(path: string): Promise<void> {
  const registry = openRegistry({ path });
  registry.append("r", created("r"));
  registry.append("r", finished("r"));
  await registry.flushed();
  await registry.close();
  const database = new DatabaseSync(path);
  database.exec(`
    WITH RECURSIVE series(value) AS (SELECT 3 UNION ALL SELECT value + 1 FROM series WHERE value < ${events})
    INSERT INTO events (run_id, seq, at, type, data) SELECT 'r', value, 0, 'step-finished',
      json_object('type', 'step-finished', 'key', 'model/' || value, 'kind', 'tool', 'durationMs', 1, 'value', hex(randomblob(1000)))
      FROM series`);
  database.close();
}

/** Returns the megabytes of memory and the seconds of CPU time so far. */
function measure(pid: number | undefined): { memory: number; cpu: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const values = fields.split(" ");
  return {
    memory: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    cpu: (Number(values[11]) + Number(values[12])) / 100,
  };
}

test.runIf(process.platform === "linux")(
  "readers that read nothing cost no more once their connections are full, and hold up nobody",
  { timeout: 240_000 },
  async () => {
    const project = createServedProject();
    await fillJournal(join(project.path, "state", "cadre.db"));
    const { url, call, server } = await serve({ project });
    const before = measure(server.child.pid);
    const agent = new Agent({ maxSockets: Infinity });
    onTestFinished(() => agent.destroy());
    const stall = async (): Promise<void> => {
      // Without compression, less of the journal fills a connection.
      const headers = { ...authorized, accept: "text/event-stream" };
      const sent = request(`${url}/api/v1/events?after=`, { agent, headers });
      sent.on("error", () => undefined).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.on("error", () => undefined).pause();
      expect(response.statusCode).toBe(200);
    };
    await Promise.all(Array.from({ length: readers }, stall));
    const { json } = await call("/runs", { agent: "main", task: "delegate" });
    const { id } = json["run"] as { id: string };
    const ended = await call(`/runs/${id}/result?wait=60`);
    expect(ended.json["result"]).toMatchObject({ status: "succeeded" });
    const received = await readEvents(
      `${url}/api/v1/events?after=${events - 10}`,
      {},
      ({ type, data }) => type === "run-finished" && data["runId"] === id,
    );
    expect(received.length).toBeGreaterThan(10);
    // The server no longer reads for them.
    await vi.waitFor(
      async () => {
        const { cpu } = measure(server.child.pid);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        expect(measure(server.child.pid).cpu - cpu).toBeLessThan(0.1);
      },
      { timeout: 120_000, interval: 0 },
    );
    // Each reader has received only what the system buffers for its connection, which is not memory of the server.
    expect(measure(server.child.pid).memory - before.memory).toBeLessThan(300 + readers * 0.3);
  },
);
