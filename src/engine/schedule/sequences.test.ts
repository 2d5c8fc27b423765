import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { childOf } from "../../../test/fixtures/child-run.ts";
import { createEnginePlace, type EnginePlace } from "../../../test/fixtures/engine-place.ts";
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
  place: EnginePlace;
  /** `+task` when it begins, `-task` when it ends. */
  log: string[];
}

/** A family whose root starts runs with `requests` and waits for them; each takes two turns of the event loop. */
function createFamily(
  requests: (root: Partial<SpawnRequest>) => Partial<SpawnRequest>[],
  inner: (parent: { runId: string }, log: Log) => Promise<void> = async () => undefined,
): Log {
  const log: string[] = [];
  const place: EnginePlace = createEnginePlace({
    async program({ task }, context) {
      if (task !== "root") {
        log.push(`+${task}`);
        await nextTurn();
        if (task === "outer") await inner(context, { place, log });
        log.push(`-${task}`);
        return task;
      }
      const root = { id: context.runId, rootId: context.runId, depth: 0 };
      const ids = requests(root).map((given) => place.spawn(childOf(root, given)));
      const results = await Promise.all(ids.map(async (id) => place.engine.result(await id)));
      return results.map(({ status }) => status).join(" ");
    },
  });
  return { place, log };
}

describe("runs of a sequence", () => {
  test("never overlap in their family", async () => {
    const { place, log } = createFamily(() => [
      { task: "a", sequence: "s" },
      { task: "b", sequence: "s" },
      { task: "free" },
      { task: "c", sequence: "s" },
    ]);
    await place.run({ task: "root" });
    const sequence = log.filter((line) => !line.endsWith("free"));
    expect(sequence).toEqual(["+a", "-a", "+b", "-b", "+c", "-c"]);
    expect(log.indexOf("+free")).toBeLessThan(log.indexOf("-b"));
  });

  test("in two families are independent", async () => {
    const { place } = createFamily(
      () => [{ task: "outer", sequence: "s" }],
      async (_, family) => {
        // It would wait for ever if it waited for the run that waits for it.
        const { runId } = await family.place.run({ task: "other", sequence: "s" });
        expect((await family.place.registry.run(runId))?.status).toBe("succeeded");
      },
    );
    expect(await place.run({ task: "root" })).toMatchObject({ text: "succeeded" });
  });

  test("may be nested, and the inner ones run one after another", async () => {
    const { place, log } = createFamily(
      () => [
        { task: "outer", sequence: "s" },
        { task: "next", sequence: "s" },
      ],
      async ({ runId }, family) => {
        const run = await family.place.registry.run(runId);
        if (run === undefined) throw new Error("it is not there");
        const inside = ["x", "y"].map((task) =>
          family.place.run(childOf(run, { task, sequence: "s" })),
        );
        await Promise.all(inside);
      },
    );
    expect(await place.run({ task: "root" })).toMatchObject({ text: "succeeded succeeded" });
    expect(log).toEqual(["+outer", "+x", "-x", "+y", "-y", "-outer", "+next", "-next"]);
  });

  test("enter it when their dependencies have ended, so that no run waits for a waiting run", async () => {
    const gate = Promise.withResolvers<void>();
    const log: string[] = [];
    const place = createEnginePlace({
      async program({ task }) {
        if (task === "first") await gate.promise;
        log.push(task);
        return task;
      },
    });
    const first = await place.spawn({ task: "first" });
    const family = { rootId: "family", sequence: "s" };
    const dependent = await place.spawn({ task: "dependent", dependsOn: [first], ...family });
    await place.run({ task: "free", ...family });
    gate.resolve();
    await place.engine.result(dependent);
    expect(log).toEqual(["free", "first", "dependent"]);
  });

  test("can be cancelled while they wait, and keep their places", async () => {
    const cancelled = Promise.withResolvers<void>();
    const log: string[] = [];
    const place: EnginePlace = createEnginePlace({
      async program({ task }) {
        log.push(task);
        if (task === "a") await cancelled.promise;
        return task;
      },
    });
    const family = { rootId: "family", sequence: "s" };
    const [a, b, c] = await Promise.all(
      ["a", "b", "c"].map((task) => place.spawn({ task, ...family })),
    );
    await place.engine.cancel(b ?? "", "enough", "user");
    expect(await place.engine.result(b ?? "")).toMatchObject({ status: "cancelled" });
    await nextTurn();
    expect(log).toEqual(["a"]);
    cancelled.resolve();
    await place.engine.result(c ?? "");
    expect(log).toEqual(["a", "c"]);
    expect(await place.engine.result(a ?? "")).toMatchObject({ status: "succeeded" });
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
    const place: EnginePlace = createEnginePlace({
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
        await place.engine.reattach("r", "half");
        await place.engine.result("half");
        return "over";
      },
    });
    await place.engine.resume("r");
    await place.engine.idle();
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
    const place = createEnginePlace({ ...given, path });
    await place.engine.resume("r");
    await place.engine.idle();
    expect((await place.registry.run("queued"))?.status).toBe("succeeded");
    expect((await place.registry.run("lost"))?.status).toBe("cancelled");
  });
});
