import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../fixtures/engine-fixture.ts";
import { createFakeClock } from "../../fixtures/fake-clock.ts";
import { created, finished } from "../../fixtures/run-spec.ts";
import { canMount } from "../../fixtures/disk.ts";
import { startSecondProcess } from "../../fixtures/process/second-process.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";
import { readProcess } from "../../../src/source/read-process.ts";
import type { Registry, RunRequest } from "../../../src/registry/registry.ts";
import {
  openRegistry,
  type RegistryOptions,
} from "../../../src/registry/sqlite/sqlite-registry.ts";

function newPath(): string {
  return join(temporaryFolder(), "cadre.db");
}

function open(options: RegistryOptions): Registry {
  const registry = openRegistry(options);
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

/** A process must not be stopped in the middle of a heartbeat: it would keep the database locked. */
const hardlyBeating = { heartbeatMs: 3_600_000, leaseMs: 20_000 };

/** Makes another process write for 1.2 s. Resolves when it has begun, with a promise of its end. */
async function holdForAWhile(path: string): Promise<{ ended: Promise<unknown> }> {
  const script = `
    const database = new (require("node:sqlite").DatabaseSync)(${JSON.stringify(path)});
    database.exec("BEGIN IMMEDIATE");
    process.stdout.write("begun");
    setTimeout(() => database.exec("COMMIT"), 1200);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  return { ended };
}

/** Stops a process. Resolves when it has stopped, which takes a moment after the signal. */
async function suspend(child: ChildProcess): Promise<void> {
  child.kill("SIGSTOP");
  await eventually(() => (readProcess(child.pid ?? 0)?.isStopped === true ? true : undefined));
}

/** Returns the time of the last heartbeat of the only owner. */
function lastSign(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("SELECT seen_at FROM owners").get();
  database.close();
  return Number(row?.["seen_at"]);
}

describe("two processes with one registry", () => {
  test("both write 500 runs at once, and no event is lost", async () => {
    const path = newPath();
    const processes = await Promise.all([startSecondProcess(path), startSecondProcess(path)]);
    expect(processes.map(({ opened }) => opened)).toEqual([{ ok: null }, { ok: null }]);
    const answers = await Promise.all(
      processes.map((other, index) => other.send(`write process${index} 500`)),
    );
    expect(answers).toEqual([{ ok: null }, { ok: null }]);
    const registry = open({ path });
    const runs = await registry.runs({ limit: 2000 });
    expect(runs).toHaveLength(1000);
    expect(runs.every(({ status, lastSeq }) => status === "succeeded" && lastSeq === 4)).toBe(true);
    for (const run of runs.slice(0, 50)) expect(await registry.events(run.id)).toHaveLength(4);
  });

  test("one waits for a write of the other that takes more than a second, whatever its first statement", async () => {
    const path = newPath();
    const first = open({ path });
    first.append("r", created("r"));
    await first.close();
    const begin: ((registry: Registry) => unknown)[] = [
      (registry) => registry.append("s", created("s")),
      (registry) => registry.request("r", "cancel", { reason: "enough", by: "user" }),
    ];
    for (const act of begin) {
      const registry = open({ path });
      const { ended } = await holdForAWhile(path);
      await act(registry);
      await registry.close();
      await ended;
    }
  });

  test("one reads what the other writes, and is notified of the change", async () => {
    const path = newPath();
    const registry = open({ path });
    const changed = registry.changed(new AbortController().signal);
    const other = await startSecondProcess(path);
    await other.send("create r");
    await changed;
    expect(await registry.run("r")).toMatchObject({ status: "running" });
  });

  test("a request reaches the owner of the run", async () => {
    const path = newPath();
    const other = await startSecondProcess(path);
    await other.send("create r");
    const registry = open({ path });
    expect(await registry.claim("r")).toBe(false);
    await registry.request("r", "cancel", { reason: "enough", by: "user" });
    expect(await other.next()).toMatchObject({
      request: { runId: "r", data: { reason: "enough", by: "user" } },
    });
  });

  test("a request reaches the next owner when the first died before receiving it", async () => {
    const path = newPath();
    const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
    await other.send("create r");
    other.child.kill("SIGSTOP");
    const registry = open({ path });
    await registry.request("r", "cancel", { reason: "enough", by: "user" });
    await other.kill("SIGKILL");
    const received = Promise.withResolvers<RunRequest>();
    registry.onRequest(async (request) => {
      received.resolve(request);
      return true;
    });
    expect(await registry.claim("r")).toBe(true);
    expect(await received.promise).toMatchObject({ runId: "r", kind: "cancel" });
  });
});

describe("the lease of a run", () => {
  test("ends when its owner is killed: another process takes over at once", async () => {
    const path = newPath();
    const other = await startSecondProcess(path);
    await other.send("create r");
    const registry = open({ path });
    expect(await registry.abandoned()).toEqual([]);
    await other.kill("SIGKILL");
    expect(await registry.abandoned()).toEqual(["r"]);
    expect(await registry.claim("r")).toBe(true);
    registry.append("r", finished("r"));
    await registry.flushed();
    expect(await registry.run("r")).toMatchObject({ status: "succeeded" });
  });

  test("is released when its owner closes the registry", async () => {
    const path = newPath();
    const first = openRegistry({ path });
    first.append("r", created("r"));
    await first.close();
    expect(await open({ path }).claim("r")).toBe(true);
  });

  test("is lost by an owner without a heartbeat for too long, whose later writes are refused", async () => {
    const path = newPath();
    const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
    await other.send("create r");
    const clock = createFakeClock(lastSign(path));
    const registry = open({ path, clock, leaseTimes: hardlyBeating });
    await suspend(other.child);
    clock.advance(hardlyBeating.leaseMs);
    expect(await registry.claim("r")).toBe(false);
    clock.advance(1);
    expect(await registry.claim("r")).toBe(true);
    registry.append("r", { type: "run-started", owner: "next" });
    await registry.flushed();
    other.child.kill("SIGCONT");
    expect(await other.send("warn r late")).toMatchObject({ code: "lease-lost" });
    expect(await other.send("create s")).toMatchObject({ code: "lease-lost" });
    const types = (await registry.events("r")).map(({ type }) => type);
    expect(types).toEqual(["run-created", "run-started", "run-started"]);
  });

  test.each([3_600_000, -3_600_000])(
    "is not lost by a living owner when the wall clock is changed by %d ms",
    async (jumpMs) => {
      const path = newPath();
      const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
      await other.send("create r");
      const clock = createFakeClock(lastSign(path));
      const registry = open({ path, clock, leaseTimes: hardlyBeating });
      clock.jump(jumpMs);
      expect(await registry.claim("r")).toBe(false);
      expect(await registry.abandoned()).toEqual([]);
      await other.kill("SIGKILL");
      expect(await registry.claim("r")).toBe(true);
    },
  );
  test("is lost at the next heartbeat, also by an owner that only waits", async () => {
    const path = newPath();
    const clock = createFakeClock(Date.now());
    const waiting = open({ path, clock, leaseTimes: hardlyBeating });
    waiting.append("r", created("r"));
    await waiting.flushed();
    const change = waiting.changed(new AbortController().signal);
    const refused = expect(change).rejects.toMatchObject({ code: "lease-lost" });
    const database = new DatabaseSync(path);
    database.exec("DELETE FROM owners");
    database.close();
    clock.advance(hardlyBeating.heartbeatMs);
    expect(waiting.failed.reason).toMatchObject({ code: "lease-lost" });
    clock.advance(1000);
    await refused;
    expect(() => waiting.append("r", finished("r"))).toThrow("took over the runs of this one");
  });

  test("lasts while the heartbeat of its owner continues", async () => {
    const path = newPath();
    const leaseTimes = { heartbeatMs: 50, leaseMs: 20_000 };
    const other = await startSecondProcess(path, { leaseTimes });
    await other.send("create r");
    const first = lastSign(path);
    while (lastSign(path) === first) await nextTurn();
    // Without that heartbeat the lease would have expired.
    const clock = createFakeClock(first + leaseTimes.leaseMs + 1);
    const registry = open({ path, clock, leaseTimes });
    expect(await registry.claim("r")).toBe(false);
    expect(await other.send("warn r alive")).toEqual({ ok: null });
  });
});

const isRoot = process.getuid?.() === 0;

describe("a full disk", () => {
  test.skipIf(!canMount())(
    "is named in the error, loses nothing, and writing continues when there is space",
    async () => {
      const folder = temporaryFolder();
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", folder]);
      onTestFinished(() => void execFileSync("umount", ["-l", folder]));
      const path = join(folder, "cadre.db");
      const other = await startSecondProcess(path);
      await other.send("create r");
      writeFileSync(join(folder, "ballast"), Buffer.alloc(200_000));
      const answer = await other.send("write many 2000");
      expect(answer).toMatchObject({ code: "registry-unavailable" });
      expect(answer.error).toMatch(/The disk that holds the registry .* is full.*`cadre resume`/);
      expect(await other.send("warn r more")).toMatchObject({ code: "registry-unavailable" });
      await other.kill("SIGKILL");
      rmSync(join(folder, "ballast"));
      const registry = open({ path });
      const written = await registry.runs({ limit: 5000 });
      expect(written.length).toBeGreaterThan(1);
      for (const run of written) {
        expect(await registry.events(run.id)).toHaveLength(run.lastSeq);
      }
      expect(await registry.claim("r")).toBe(true);
      registry.append("r", finished("r"));
      await registry.flushed();
      expect(await registry.run("r")).toMatchObject({ status: "succeeded" });
    },
  );

  test.each([
    { name: "after it was closed", leave: (registry: Registry) => registry.close() },
    { name: "after its process was killed", leave: async () => undefined },
  ])("a registry in a read-only folder can be read $name", async ({ leave }) => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const state = join(folder, "state");
    mkdirSync(state);
    const registry = open({ path: join(state, "cadre.db") });
    registry.append("r", created("r"));
    await registry.flushed();
    await leave(registry);
    const before = readFileSync(join(state, "cadre.db"));
    chmodSync(state, 0o555);
    for (const file of readdirSync(state)) chmodSync(join(state, file), 0o444);
    onTestFinished(() => chmodSync(state, 0o755));
    // File permissions do not restrict root. Without these capabilities they do, even if only root may read the
    // sources.
    const through = isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
    const other = await startSecondProcess(join(state, "cadre.db"), { through });
    expect(other.opened).toEqual({ ok: null });
    expect(await other.send("status r")).toEqual({ ok: "queued" });
    const answer = await other.send("create s");
    expect(answer).toMatchObject({ code: "registry-unavailable" });
    expect(answer.error).toMatch(/can be read, but not written.*CADRE_STATE_DIR/);
    expect(readFileSync(join(state, "cadre.db")).equals(before)).toBe(true);
  });
});
