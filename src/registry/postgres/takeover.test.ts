import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/fixtures/engine-fixture.ts";
import { postgresUrl, schemaOf } from "../../../test/fixtures/postgres/test-schema.ts";
import { openTestRegistry } from "../../../test/fixtures/registry/test-registry.ts";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { startSecondProcess } from "../../../test/fixtures/process/second-process.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { readProcess } from "../../source/read-process.ts";
import type { Registry } from "../registry.ts";

/** A process must not give a sign of life while it is stopped. */
const hardlyBeating = { heartbeatMs: 3_600_000, leaseMs: 20_000 };

function newPath(): string {
  return join(temporaryFolder(), "registry");
}

function open(path: string): Registry {
  const registry = openTestRegistry({ path, leaseTimes: hardlyBeating });
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

/** Makes the last heartbeat of every owner of the schema older, and moves the owners to another machine. */
async function moveOwners(path: string, seconds: number): Promise<void> {
  const client = new Client(postgresUrl);
  await client.connect();
  await client.query(
    `UPDATE "${schemaOf(path)}".owners SET place = 'another machine',
      seen_at = seen_at - make_interval(secs => $1)`,
    [seconds],
  );
  await client.end();
}

describe.skipIf(postgresUrl === undefined)("the lease of a run in PostgreSQL", () => {
  test("ends when its owner is killed: another process takes over at once", async () => {
    const path = newPath();
    const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
    await other.send("create r");
    const registry = open(path);
    expect(await registry.abandoned()).toEqual([]);
    expect(await registry.claim("r")).toBe(false);
    await other.kill("SIGKILL");
    expect(await registry.abandoned()).toEqual(["r"]);
    const before = performance.now();
    expect(await registry.claim("r")).toBe(true);
    expect(performance.now() - before).toBeLessThan(1000);
    registry.append("r", finished("r"));
    await registry.flushed();
    expect(await registry.run("r")).toMatchObject({ status: "succeeded" });
  });

  test("is taken by one of several processes that want it at once", async () => {
    const path = newPath();
    const dead = await startSecondProcess(path);
    await dead.send("create r");
    await dead.kill("SIGKILL");
    const others = await Promise.all([1, 2, 3, 4].map(() => startSecondProcess(path)));
    const answers = await Promise.all(others.map((other) => other.send("claim r")));
    expect(answers.filter(({ ok }) => ok === true)).toHaveLength(1);
  });

  test("of a family that was submitted to workers is taken by one of several, at the first attempt", async () => {
    const path = newPath();
    const submitter = open(path);
    submitter.append("r", created("r"));
    await submitter.flushed();
    const submission = { label: null, setting: { cwd: "/" } };
    await submitter.work?.submit("r", submission);
    const others = await Promise.all([1, 2, 3, 4].map(() => startSecondProcess(path)));
    const answers = await Promise.all(others.map((other) => other.send("claim r")));
    expect(answers.filter(({ ok }) => ok === true)).toHaveLength(1);
    expect(await submitter.claim("r")).toBe(false);
  });

  test("refuses the later writes of a process that was only stopped", async () => {
    const path = newPath();
    const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
    await other.send("create r");
    const registry = open(path);
    other.child.kill("SIGSTOP");
    await eventually(() => readProcess(other.child.pid ?? 0)?.isStopped === true || undefined);
    await moveOwners(path, 0);
    expect(await registry.claim("r")).toBe(false);
    await moveOwners(path, 3600);
    // The server of the tests must have run for as long as a lease.
    await eventually(async () => (await registry.claim("r")) || undefined);
    registry.append("r", { type: "run-started", owner: "next" });
    await registry.flushed();
    other.child.kill("SIGCONT");
    expect(await other.send("warn r late")).toMatchObject({ code: "lease-lost" });
    const types = (await registry.events("r")).map(({ type }) => type);
    expect(types).toEqual(["run-created", "run-started", "run-started"]);
  });

  test("of a process on another machine depends on its heartbeat alone", async () => {
    const path = newPath();
    const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
    await other.send("create r");
    await moveOwners(path, 0);
    await other.kill("SIGKILL");
    const registry = open(path);
    // Its process id is one of this machine too, but says nothing about it.
    expect(await registry.claim("r")).toBe(false);
    expect(await registry.abandoned()).toEqual([]);
  });

  test("both of two processes write 300 runs at once, and no event is lost", async () => {
    const path = newPath();
    const processes = await Promise.all([startSecondProcess(path), startSecondProcess(path)]);
    await Promise.all(processes.map((other, index) => other.send(`write p${index} 300`)));
    const registry = open(path);
    const runs = await registry.runs({ limit: 2000 });
    expect(runs).toHaveLength(600);
    expect(runs.every(({ status, lastSeq }) => status === "succeeded" && lastSeq === 4)).toBe(true);
    const seen: string[] = [];
    for (let position = ""; ;) {
      const events = await registry.eventsAfter(position);
      if (events.length === 0) break;
      seen.push(...events.map(({ event }) => `${event.runId} ${event.seq}`));
      position = events.at(-1)?.position ?? "";
    }
    expect(new Set(seen).size).toBe(2400);
  });
});
