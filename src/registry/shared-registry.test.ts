import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../test/fixtures/fake-clock.ts";
import { created, finished } from "../../test/fixtures/run-spec.ts";
import { canMount } from "../../test/fixtures/disk.ts";
import { startSecondProcess } from "../../test/fixtures/second-process.ts";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import type { Registry, RunRequest } from "./registry.ts";
import { openRegistry, type RegistryOptions } from "./sqlite-registry.ts";

function newPath(): string {
  return join(temporaryFolder(), "cadre.db");
}

function open(options: RegistryOptions): Registry {
  const registry = openRegistry(options);
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

/** A process that is stopped must not be in the middle of a beat: it would keep the database locked. */
const hardlyBeating = { heartbeatMs: 3_600_000, leaseMs: 20_000 };

/** Has another process write for 1.2 s; resolves when it has begun, with what resolves when it has ended. */
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

/** When the only owner there is gave its last sign. */
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
    const said = await Promise.all(
      processes.map((other, index) => other.tell(`write process${index} 500`)),
    );
    expect(said).toEqual([{ ok: null }, { ok: null }]);
    const registry = open({ path });
    const runs = await registry.runs({ limit: 2000 });
    expect(runs).toHaveLength(1000);
    expect(runs.every(({ status, lastSeq }) => status === "succeeded" && lastSeq === 4)).toBe(true);
    for (const run of runs.slice(0, 50)) expect(await registry.events(run.id)).toHaveLength(4);
  });

  test("one waits for a write of the other that takes more than a second, however it begins", async () => {
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

  test("one sees what the other writes, and is told that something changed", async () => {
    const path = newPath();
    const registry = open({ path });
    const changed = registry.changed(new AbortController().signal);
    const other = await startSecondProcess(path);
    await other.tell("create r");
    await changed;
    expect(await registry.run("r")).toMatchObject({ status: "running" });
  });

  test("a request reaches the owner of the run", async () => {
    const path = newPath();
    const other = await startSecondProcess(path);
    await other.tell("create r");
    const registry = open({ path });
    expect(await registry.claim("r")).toBe(false);
    await registry.request("r", "cancel", { reason: "enough", by: "user" });
    expect(await other.next()).toMatchObject({
      request: { runId: "r", data: { reason: "enough", by: "user" } },
    });
  });

  test("a request that its owner did not live to see reaches the next owner", async () => {
    const path = newPath();
    const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
    await other.tell("create r");
    other.child.kill("SIGSTOP");
    const registry = open({ path });
    await registry.request("r", "cancel", { reason: "enough", by: "user" });
    await other.kill("SIGKILL");
    const heard = Promise.withResolvers<RunRequest>();
    registry.onRequest(async (request) => {
      heard.resolve(request);
      return true;
    });
    expect(await registry.claim("r")).toBe(true);
    expect(await heard.promise).toMatchObject({ runId: "r", kind: "cancel" });
  });
});

describe("the lease of a run", () => {
  test("ends with its owner: what was killed is taken over at once", async () => {
    const path = newPath();
    const other = await startSecondProcess(path);
    await other.tell("create r");
    const registry = open({ path });
    expect(await registry.abandoned()).toEqual([]);
    await other.kill("SIGKILL");
    expect(await registry.abandoned()).toEqual(["r"]);
    expect(await registry.claim("r")).toBe(true);
    registry.append("r", finished("r"));
    await registry.flushed();
    expect(await registry.run("r")).toMatchObject({ status: "succeeded" });
  });

  test("is given back when its owner closes the registry", async () => {
    const path = newPath();
    const first = openRegistry({ path });
    first.append("r", created("r"));
    await first.close();
    expect(await open({ path }).claim("r")).toBe(true);
  });

  test("is lost by an owner that says nothing for too long, and what it writes later is refused", async () => {
    const path = newPath();
    const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
    await other.tell("create r");
    const clock = createFakeClock(lastSign(path));
    const registry = open({ path, clock, leaseTimes: hardlyBeating });
    other.child.kill("SIGSTOP");
    clock.advance(hardlyBeating.leaseMs);
    expect(await registry.claim("r")).toBe(false);
    clock.advance(1);
    expect(await registry.claim("r")).toBe(true);
    registry.append("r", { type: "run-started", owner: "next" });
    await registry.flushed();
    other.child.kill("SIGCONT");
    expect(await other.tell("warn r late")).toMatchObject({ code: "lease-lost" });
    expect(await other.tell("create s")).toMatchObject({ code: "lease-lost" });
    const types = (await registry.events("r")).map(({ type }) => type);
    expect(types).toEqual(["run-created", "run-started", "run-started"]);
  });

  test.each([3_600_000, -3_600_000])(
    "is not lost by an owner that lives when the wall clock is set by %d ms",
    async (jumpMs) => {
      const path = newPath();
      const other = await startSecondProcess(path, { leaseTimes: hardlyBeating });
      await other.tell("create r");
      const clock = createFakeClock(lastSign(path));
      const registry = open({ path, clock, leaseTimes: hardlyBeating });
      clock.jump(jumpMs);
      expect(await registry.claim("r")).toBe(false);
      expect(await registry.abandoned()).toEqual([]);
      await other.kill("SIGKILL");
      expect(await registry.claim("r")).toBe(true);
    },
  );
  test("is lost at the next sign of life, also by an owner that only waits", async () => {
    const path = newPath();
    const clock = createFakeClock(Date.now());
    const waiting = open({ path, clock, leaseTimes: hardlyBeating });
    waiting.append("r", created("r"));
    await waiting.flushed();
    const change = waiting.changed(new AbortController().signal);
    const heard = expect(change).rejects.toMatchObject({ code: "lease-lost" });
    const database = new DatabaseSync(path);
    database.exec("DELETE FROM owners");
    database.close();
    clock.advance(hardlyBeating.heartbeatMs);
    expect(waiting.failed.reason).toMatchObject({ code: "lease-lost" });
    clock.advance(1000);
    await heard;
    expect(() => waiting.append("r", finished("r"))).toThrow("took this one for dead");
  });

  test("lasts as long as its owner lives and says so", async () => {
    const path = newPath();
    const leaseTimes = { heartbeatMs: 50, leaseMs: 20_000 };
    const other = await startSecondProcess(path, { leaseTimes });
    await other.tell("create r");
    const first = lastSign(path);
    while (lastSign(path) === first) await nextTurn();
    // Without that beat the lease would be over now.
    const clock = createFakeClock(first + leaseTimes.leaseMs + 1);
    const registry = open({ path, clock, leaseTimes });
    expect(await registry.claim("r")).toBe(false);
    expect(await other.tell("warn r alive")).toEqual({ ok: null });
  });
});

const isRoot = process.getuid?.() === 0;

describe("a disk that does not take any more", () => {
  test.skipIf(!canMount())(
    "names the disk, loses nothing, and goes on when there is space",
    async () => {
      const folder = temporaryFolder();
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", folder]);
      onTestFinished(() => void execFileSync("umount", ["-l", folder]));
      const path = join(folder, "cadre.db");
      const other = await startSecondProcess(path);
      await other.tell("create r");
      writeFileSync(join(folder, "ballast"), Buffer.alloc(200_000));
      const said = await other.tell("write many 2000");
      expect(said).toMatchObject({ code: "registry-unavailable" });
      expect(said.error).toMatch(/The disk that holds the registry .* is full.*`cadre resume`/);
      expect(await other.tell("warn r more")).toMatchObject({ code: "registry-unavailable" });
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
  ])("a folder that may not be written can be looked at $name", async ({ leave }) => {
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
    // Nothing is forbidden to root; without these rights permissions count, also where only root may read the sources.
    const through = isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
    const other = await startSecondProcess(join(state, "cadre.db"), { through });
    expect(other.opened).toEqual({ ok: null });
    expect(await other.tell("status r")).toEqual({ ok: "queued" });
    const said = await other.tell("create s");
    expect(said).toMatchObject({ code: "registry-unavailable" });
    expect(said.error).toMatch(/can be looked at, but not written.*CADRE_STATE_DIR/);
    expect(readFileSync(join(state, "cadre.db")).equals(before)).toBe(true);
  });
});
