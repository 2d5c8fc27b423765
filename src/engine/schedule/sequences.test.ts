import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { childOf } from "../../../test/fixtures/child-run.ts";
import { createEngineFixture, type EngineFixture } from "../../../test/fixtures/engine-fixture.ts";
import { leaveRuns } from "../../../test/fixtures/left-run.ts";
import type { RunEventBody } from "../../run/event.ts";
import type { SpawnRequest } from "../engine.ts";
import { createSequences } from "./sequences.ts";

const { signal } = new AbortController();

describe("a sequence", () => {
  test("admits one run after another, in the order of arrival", async () => {
    const sequences = createSequences();
    const inside: number[] = [];
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const leave = await sequences.enter("a", signal);
        inside.push(index);
        expect(inside).toHaveLength(1);
        await nextTurn();
        order.push(...inside.splice(0));
        leave();
      }),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  test("does not delay another sequence", async () => {
    const sequences = createSequences();
    await sequences.enter("a", signal);
    await expect(sequences.enter("b", signal)).resolves.toBeTypeOf("function");
  });

  test("keeps the order when a waiting run gives up", async () => {
    const sequences = createSequences();
    const leaving = new AbortController();
    const leave = await sequences.enter("a", signal);
    const second = sequences.enter("a", leaving.signal);
    let isIn = false;
    const third = sequences.enter("a", signal).then(() => (isIn = true));
    leaving.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    await nextTurn();
    expect(isIn).toBe(false);
    leave();
    await third;
  });
});

interface Log {
  fixture: EngineFixture;
  /** `+task` when it begins, `-task` when it ends. */
  log: string[];
}

/** A family whose root starts runs with `requests` and waits for them; each takes two turns of the event loop. */
function createFamily(
  requests: (root: Partial<SpawnRequest>) => Partial<SpawnRequest>[],
  inner: (parent: { runId: string }, log: Log) => Promise<void> = async () => undefined,
): Log {
  const log: string[] = [];
  const fixture: EngineFixture = createEngineFixture({
    async program({ task }, context) {
      if (task !== "root") {
        log.push(`+${task}`);
        await nextTurn();
        if (task === "outer") await inner(context, { fixture, log });
        log.push(`-${task}`);
        return task;
      }
      const root = { id: context.runId, rootId: context.runId, depth: 0 };
      const ids = requests(root).map((given) => fixture.spawn(childOf(root, given)));
      const results = await Promise.all(ids.map(async (id) => fixture.engine.result(await id)));
      return results.map(({ status }) => status).join(" ");
    },
  });
  return { fixture, log };
}

describe("runs of a sequence", () => {
  test("never overlap in their family", async () => {
    const { fixture, log } = createFamily(() => [
      { task: "a", sequence: "s" },
      { task: "b", sequence: "s" },
      { task: "free" },
      { task: "c", sequence: "s" },
    ]);
    await fixture.run({ task: "root" });
    const sequence = log.filter((line) => !line.endsWith("free"));
    expect(sequence).toEqual(["+a", "-a", "+b", "-b", "+c", "-c"]);
    expect(log.indexOf("+free")).toBeLessThan(log.indexOf("-b"));
  });

  test("in two families are independent", async () => {
    const { fixture } = createFamily(
      () => [{ task: "outer", sequence: "s" }],
      async (_, family) => {
        // It would wait for ever if it waited for the run that waits for it.
        const { runId } = await family.fixture.run({ task: "other", sequence: "s" });
        expect((await family.fixture.registry.run(runId))?.status).toBe("succeeded");
      },
    );
    expect(await fixture.run({ task: "root" })).toMatchObject({ text: "succeeded" });
  });

  test("may be nested, and the inner ones run one after another", async () => {
    const { fixture, log } = createFamily(
      () => [
        { task: "outer", sequence: "s" },
        { task: "next", sequence: "s" },
      ],
      async ({ runId }, family) => {
        const run = await family.fixture.registry.run(runId);
        if (run === undefined) throw new Error("it is not there");
        const inside = ["x", "y"].map((task) =>
          family.fixture.run(childOf(run, { task, sequence: "s" })),
        );
        await Promise.all(inside);
      },
    );
    expect(await fixture.run({ task: "root" })).toMatchObject({ text: "succeeded succeeded" });
    expect(log).toEqual(["+outer", "+x", "-x", "+y", "-y", "-outer", "+next", "-next"]);
  });

  test("enter it when their dependencies have ended, so that no run waits for a waiting run", async () => {
    const gate = Promise.withResolvers<void>();
    const log: string[] = [];
    const fixture = createEngineFixture({
      async program({ task }) {
        if (task === "first") await gate.promise;
        log.push(task);
        return task;
      },
    });
    const first = await fixture.spawn({ task: "first" });
    const family = { rootId: "family", sequence: "s" };
    const dependent = await fixture.spawn({ task: "dependent", dependsOn: [first], ...family });
    await fixture.run({ task: "free", ...family });
    gate.resolve();
    await fixture.engine.result(dependent);
    expect(log).toEqual(["free", "first", "dependent"]);
  });

  test("can be cancelled while they wait, and keep their places", async () => {
    const cancelled = Promise.withResolvers<void>();
    const log: string[] = [];
    const fixture: EngineFixture = createEngineFixture({
      async program({ task }) {
        log.push(task);
        if (task === "a") await cancelled.promise;
        return task;
      },
    });
    const family = { rootId: "family", sequence: "s" };
    const [a, b, c] = await Promise.all(
      ["a", "b", "c"].map((task) => fixture.spawn({ task, ...family })),
    );
    await fixture.engine.cancel(b ?? "", "enough", "user");
    expect(await fixture.engine.result(b ?? "")).toMatchObject({ status: "cancelled" });
    await nextTurn();
    expect(log).toEqual(["a"]);
    cancelled.resolve();
    await fixture.engine.result(c ?? "");
    expect(log).toEqual(["a", "c"]);
    expect(await fixture.engine.result(a ?? "")).toMatchObject({ status: "succeeded" });
  });
});

describe("runs of a sequence, after a kill,", () => {
  test("continue the started run first, even if it is resumed last", async () => {
    const family = { rootId: "r", parentId: "r", depth: 1, sequence: "s" };
    const begun: RunEventBody = { type: "run-started", owner: "1" };
    const half = { ...family, parentStep: "half", task: "half" };
    const queued = { ...family, parentStep: "queued", task: "queued", background: true };
    const program = (): string => "done";
    const path = await leaveRuns(
      [
        { id: "r", spec: { task: "root" }, events: [begun] },
        { id: "queued", spec: queued },
        { id: "half", spec: half, events: [begun] },
      ],
      { program },
    );
    const log: string[] = [];
    const fixture: EngineFixture = createEngineFixture({
      path,
      async program({ task }) {
        if (task !== "root") {
          log.push(`+${task}`);
          await nextTurn();
          log.push(`-${task}`);
          return task;
        }
        // It requests it only after a while.
        for (let turn = 0; turn < 20; turn += 1) await nextTurn();
        await fixture.engine.reattach("r", "half");
        await fixture.engine.result("half");
        return "over";
      },
    });
    await fixture.engine.resume("r");
    await fixture.engine.idle();
    expect(log).toEqual(["+half", "-half", "+queued", "-queued"]);
  });

  test("do not wait for a started run that no process resumes", async () => {
    const family = { rootId: "r", parentId: "r", depth: 1, sequence: "s" };
    const begun: RunEventBody = { type: "run-started", owner: "1" };
    const lost = { ...family, parentStep: "lost", task: "lost" };
    const queued = { ...family, parentStep: "queued", task: "queued", detached: true };
    const given = { program: ({ task }: { task: string }): string => task };
    const path = await leaveRuns(
      [
        { id: "r", spec: { task: "root" }, events: [begun] },
        { id: "queued", spec: { ...queued, background: true } },
        { id: "lost", spec: lost, events: [begun] },
      ],
      given,
    );
    const fixture = createEngineFixture({ ...given, path });
    await fixture.engine.resume("r");
    await fixture.engine.idle();
    expect((await fixture.registry.run("queued"))?.status).toBe("succeeded");
    expect((await fixture.registry.run("lost"))?.status).toBe("cancelled");
  });
});
