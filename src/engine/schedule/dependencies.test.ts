import { describe, expect, onTestFinished, test } from "vitest";
import { join } from "node:path";
import {
  createEngineFixture,
  type EngineFixture,
  eventually,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { isLong } from "../../../test/is-long.ts";
import { created, createSpec, finished } from "../../../test/fixtures/run-spec.ts";
import { startSecondProcess } from "../../../test/fixtures/process/second-process.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { Registry } from "../../registry/registry.ts";
import { openTestRegistry } from "../../../test/fixtures/registry/test-registry.ts";
import { systemClock as clock } from "../../clock.ts";
import { settleDependencies } from "./dependencies.ts";
import { createRunEnds } from "./run-ends.ts";
import { ownerCheckMs } from "./watch-runs.ts";

/** Runs end when they are released; a run with the task `break` fails. */
function createGatedFixture(concurrency = 4): EngineFixture & {
  begun: string[];
  letGo: () => void;
} {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const fixture = createEngineFixture({
    concurrency,
    async program({ task }) {
      begun.push(task);
      await gate.promise;
      if (task === "break") throw new Error("no luck");
      return `did ${task}`;
    },
  });
  return { ...fixture, begun, letGo: () => gate.resolve() };
}

const begins = async ({ begun }: { begun: string[] }, task: string): Promise<void> => {
  await eventually(() => (begun.includes(task) ? true : undefined));
};

describe("a run that depends on another", () => {
  test("begins when that has ended, and not before, even with free slots", async () => {
    const fixture = createGatedFixture();
    const first = await fixture.spawn({ task: "first" });
    const second = await fixture.spawn({ task: "second", dependsOn: [first] });
    await begins(fixture, "first");
    expect((await fixture.registry.run(second))?.status).toBe("waiting");
    fixture.letGo();
    expect(await fixture.engine.result(second)).toMatchObject({ text: "did second" });
    expect(fixture.begun).toEqual(["first", "second"]);
    const events = await fixture.events(second);
    expect(typesOf(events).slice(0, 3)).toEqual([
      "run-created",
      "dependencies-settled",
      "run-started",
    ]);
    const end = (await fixture.events(first)).at(-1);
    expect(events[1]?.at).toBeGreaterThanOrEqual(end?.at ?? Infinity);
  });

  test("has a duration that begins when that has ended", async () => {
    const fake = createFakeClock();
    let spawned = false;
    const fixture = createEngineFixture({
      clock: fake,
      program: async ({ task }) => {
        await eventually(() => (spawned ? true : undefined));
        fake.advance(task === "first" ? 60_000 : 1000);
        return task;
      },
    });
    const first = await fixture.spawn({ task: "first" });
    const second = await fixture.spawn({ task: "second", dependsOn: [first] });
    spawned = true;
    expect(await fixture.engine.result(first)).toMatchObject({ durationMs: 60_000 });
    expect(await fixture.engine.result(second)).toMatchObject({ durationMs: 1000 });
    expect(await fixture.registry.run(second)).toMatchObject({ elapsedMs: 1000 });
  });

  test("holds no slot while it waits", async () => {
    const fixture = createGatedFixture(1);
    const first = await fixture.spawn({ task: "first" });
    await fixture.spawn({ task: "second", dependsOn: [first] });
    const third = await fixture.spawn({ task: "third" });
    fixture.letGo();
    await fixture.engine.result(third);
    await fixture.engine.idle();
    expect(fixture.begun).toContain("second");
  });

  test("does not wait for an ended run", async () => {
    const fixture = createGatedFixture();
    fixture.letGo();
    const { runId } = await fixture.run({ task: "first" });
    expect(await fixture.run({ task: "second", dependsOn: [runId, runId] })).toMatchObject({
      status: "succeeded",
    });
  });

  test("that does not exist ends with its name", async () => {
    const fixture = createGatedFixture();
    const result = await fixture.run({ dependsOn: ["nobody"] });
    expect(result).toMatchObject({
      status: "failed",
      turns: 0,
      failure: { code: "dependency-not-found", details: { runId: "nobody" } },
    });
    expect(fixture.begun).toEqual([]);
  });

  test("that fails ends without having begun, as soon as one of several has failed", async () => {
    const fixture = createGatedFixture();
    const never = await fixture.spawn({ task: "pending" });
    const broken = createEngineFixture({
      path: fixture.path,
      program: () => Promise.reject(new Error("no luck")),
    });
    const { runId } = await broken.run({ task: "break" });
    const result = await fixture.run({ task: "then", dependsOn: [never, runId] });
    expect(result.failure).toMatchObject({
      code: "dependency-failed",
      details: { runId, status: "failed" },
      cause: { code: "internal", message: "Agent main threw: no luck" },
    });
    expect(fixture.begun).toEqual(["pending"]);
    expect(typesOf(await fixture.events(result.runId))).toEqual(["run-created", "run-finished"]);
    fixture.letGo();
  });

  test("that fails begins anyway if its settings say so, and is told", async () => {
    const fixture = createGatedFixture();
    const broken = await fixture.spawn({ task: "break" });
    const then = await fixture.spawn({
      task: "then",
      dependsOn: [broken],
      onDependencyError: "run",
    });
    fixture.letGo();
    const { status, text } = await fixture.engine.result(then);
    expect(status).toBe("succeeded");
    expect(text).toContain("It did not succeed: failed, internal: Agent main threw: no luck");
    expect(text).toContain("[Current task]:\nthen");
  });

  test("can be cancelled while it waits", async () => {
    const fixture = createGatedFixture();
    const first = await fixture.spawn({ task: "first" });
    const second = await fixture.spawn({ task: "second", dependsOn: [first] });
    const third = await fixture.spawn({ task: "third", dependsOn: [second] });
    expect(await fixture.engine.cancel(second, "enough", "user")).toBe(true);
    expect(await fixture.engine.result(second)).toMatchObject({ status: "cancelled", turns: 0 });
    // And its own dependents.
    expect(await fixture.engine.result(third)).toMatchObject({
      failure: { code: "dependency-failed", cause: { code: "cancelled", message: "enough" } },
    });
    fixture.letGo();
    await fixture.engine.result(first);
    expect(fixture.begun).toEqual(["first"]);
  });

  test("waits for a run of another process, and gets its result", async () => {
    const fixture = createGatedFixture();
    fixture.letGo();
    const other = await startSecondProcess(fixture.path);
    for (const name of ["x", "y"]) await other.send(`create ${name}`);
    const after = await fixture.spawn({ task: "after", dependsOn: ["x"] });
    const never = await fixture.spawn({ task: "never", dependsOn: ["x", "y"] });
    await other.send("end y failed");
    expect(await fixture.engine.result(never)).toMatchObject({
      failure: { code: "dependency-failed", cause: { message: "it broke" } },
    });
    expect((await fixture.registry.run(after))?.status).toBe("waiting");
    await other.send("end x");
    expect(await fixture.engine.result(after)).toMatchObject({ text: "did after" });
  });

  test("reports once that the process of its dependency is gone, and begins when that is continued", async () => {
    const fake = createFakeClock();
    const fixture = createEngineFixture({ clock: fake, program: ({ task }) => `did ${task}` });
    const other = await startSecondProcess(fixture.path);
    await other.send("create x");
    const after = await fixture.spawn({ task: "after", dependsOn: ["x"] });
    const warnings = async (): Promise<string[]> =>
      (await fixture.events(after)).flatMap((event) =>
        event.type === "warning-raised" ? [event.message] : [],
      );
    const check = async (): Promise<void> => {
      await eventually(() => (fake.pending > 0 ? true : undefined));
      fake.advance(ownerCheckMs);
    };
    await check();
    expect(await warnings()).toEqual([]);
    await other.kill("SIGKILL");
    await check();
    await eventually(async () => ((await warnings()).length > 0 ? true : undefined));
    await check();
    expect(await warnings()).toEqual([
      "It waits for run x (main), whose process is gone: `cadre resume x` continues that one.",
    ]);
    const heir = await startSecondProcess(fixture.path);
    await heir.send("claim x");
    await heir.send("end x");
    expect(await fixture.engine.result(after)).toMatchObject({ text: "did after" });
  });
});

/** A registry that counts its queries and watches. */
function countCalls(registry: Registry): Registry & { lookups: number; watches: number } {
  return {
    ...registry,
    lookups: 0,
    watches: 0,
    async run(id) {
      this.lookups += 1;
      return await registry.run(id);
    },
    async changed(signal) {
      this.watches += 1;
      await registry.changed(signal);
    },
  };
}

function openCounted(): Registry & { lookups: number; watches: number } {
  const registry = openTestRegistry({ path: join(temporaryFolder(), "cadre.db") });
  onTestFinished(() => registry.close());
  return countCalls(registry);
}

describe("waiting for dependencies", () => {
  const { signal } = new AbortController();
  const many = isLong ? 10_000 : 2000;

  test("reads each of many runs once, however they end, and polls no other process for its own", async () => {
    const registry = openCounted();
    const ids = Array.from({ length: many }, (_, index) => `r-${index}`);
    for (const id of ids) registry.append(id, created(id));
    const ends = createRunEnds({ registry, clock, isExecuting: () => true });
    const settled = settleDependencies(ends, createSpec("join", { dependsOn: ids }), signal);
    for (const id of ids.toReversed()) registry.append(id, finished(id));
    await settled;
    expect(registry).toMatchObject({ lookups: ids.length, watches: 0 });
  });

  test("reads one run once for each of its many dependents", async () => {
    const registry = openCounted();
    registry.append("r", created("r"));
    const ends = createRunEnds({ registry, clock, isExecuting: () => true });
    const spec = createSpec("one", { dependsOn: ["r"] });
    const all = Array.from({ length: many }, () => settleDependencies(ends, spec, signal));
    registry.append("r", finished("r"));
    await Promise.all(all);
    expect(registry).toMatchObject({ lookups: many, watches: 0 });
  });

  test("stops polling other processes when no run waits any more", async () => {
    const registry = openCounted();
    registry.append("r", created("r"));
    const ends = createRunEnds({ registry, clock, isExecuting: () => false });
    const leaving = new AbortController();
    const settled = settleDependencies(
      ends,
      createSpec("one", { dependsOn: ["r"] }),
      leaving.signal,
    );
    const gone = settled.catch((error: unknown) => error);
    await eventually(() => (registry.watches > 0 ? true : undefined));
    leaving.abort(new Error("enough"));
    expect(await gone).toMatchObject({ message: "enough" });
    registry.append("r", finished("r"));
    await registry.flushed();
    expect(registry.watches).toBe(1);
  });

  test("misses no end that is written during a read", async () => {
    const registry = openCounted();
    registry.append("r", created("r"));
    await registry.flushed();
    const change = Promise.withResolvers<void>();
    let looks = 0;
    const ends = createRunEnds({
      clock,
      registry: {
        ...registry,
        async runs(filter) {
          looks += 1;
          const runs = await registry.runs(filter);
          // Right after the first read, the last one for now.
          if (looks === 1) {
            registry.append("r", finished("r"));
            await registry.flushed();
            change.resolve();
          }
          return runs;
        },
        // Only a change after the call counts.
        changed: () => (looks < 1 ? change.promise : new Promise(() => undefined)),
        subscribe: () => () => undefined,
      },
      isExecuting: () => false,
    });
    await settleDependencies(ends, createSpec("one", { dependsOn: ["r"] }), signal);
    expect(looks).toBe(2);
  });
});
