import { describe, expect, test } from "vitest";
import { createStartTool } from "../../test/fixtures/child-run.ts";
import {
  createEnginePlace,
  createTestTool,
  type EngineGiven,
  type EnginePlace,
  eventually,
} from "../../test/fixtures/engine-place.ts";
import { leaveRuns } from "../../test/fixtures/left-run.ts";
import { created, finished } from "../../test/fixtures/run-spec.ts";
import type { RunEvent, RunEventBody } from "../run/event.ts";
import type { Message } from "../run/message.ts";
import type { Script } from "../model/scripted-model.ts";
import type { SpawnRequest } from "./engine.ts";

const start = (value: string) => ({ tool: "Start", input: { value } });
const never = { fault: { kind: "hang" } } as const;

interface Family extends EnginePlace {
  /** What the model of the root was told at each of its turns. */
  told: string[];
}

/** A family whose root starts what it starts in its first turns, as `turns` says; the others are scripted by `children`. */
function createFamily(
  turns: readonly ReturnType<Script>[],
  children: Script,
  { request, ...given }: EngineGiven & { request?: (task: string) => Partial<SpawnRequest> } = {},
): Family {
  const told: string[] = [];
  const place: EnginePlace = createEnginePlace({
    script(conversation) {
      if (conversation.task !== "root") return children(conversation);
      told.push(conversation.last);
      return turns[Math.min(conversation.turn, turns.length - 1)] ?? null;
    },
    ...given,
    tools: [createStartTool(() => place, request), ...(given.tools ?? [])],
  });
  return { ...place, told };
}

const deliveries = (events: readonly RunEvent[]): (readonly Message[])[] =>
  events.flatMap((event) => (event.type === "messages-delivered" ? [event.messages] : []));

describe("a run in the background", () => {
  test("is told to its parent once, which is held for it without a slot", async () => {
    const family = createFamily(
      [{ calls: [start("child")] }, { text: "nothing to do" }, { text: "heard it" }],
      ({ task }) => ({ text: `did ${task}` }),
      { concurrency: 1 },
    );
    const result = await family.run({ task: "root" });
    expect(result).toMatchObject({ status: "succeeded", text: "heard it", turns: 3 });
    const child = family.told[1] ?? "";
    expect(family.told[2]).toBe(
      `[The background run main (run ${child}) has ended: succeeded]\n\ndid child`,
    );
    expect(deliveries(await family.events(result.runId))).toMatchObject([
      [{ id: child, kind: "result" }],
    ]);
  });

  test("that failed is told with the reason", async () => {
    const family = createFamily(
      [{ calls: [start("child")] }, { text: "done" }],
      () => ({ text: "no", fault: { kind: "status", status: 400 } }),
      { request: () => ({ label: "reader" }) },
    );
    await family.run({ task: "root" });
    expect(family.told[2]).toMatch(
      /^\[The background run reader \(agent main, run .*\) has ended: failed, model-error: /,
    );
  });

  test("is told between two turns of a parent that is at work", async () => {
    const worked = Promise.withResolvers<string>();
    const family: Family = createFamily(
      [
        { calls: [start("child"), { tool: "Work", input: { value: "" } }] },
        { calls: [{ tool: "Work", input: { value: "" } }] },
        { text: "done" },
      ],
      ({ task }) => ({ text: `did ${task}` }),
      { tools: [createTestTool("Work", () => worked.promise)] },
    );
    const id = await family.spawn({ task: "root" });
    const child = await eventually(async () => (await family.registry.children(id))[0]?.id);
    await family.engine.result(child);
    worked.resolve("worked");
    await family.engine.result(id);
    // With what its calls gave, and not again.
    expect(family.told.filter((text) => text.includes("did child"))).toHaveLength(1);
    const [delivered] = (await family.events(id)).filter(
      ({ type }) => type === "messages-delivered",
    );
    expect(delivered).toMatchObject({ step: "model/2" });
    expect((await family.events(id)).some(({ type }) => type === "children-awaited")).toBe(false);
  });

  test("is told together with those that ended meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    const family = createFamily(
      [
        { calls: ["a", "b", "c"].map(start) },
        { calls: [{ tool: "Look", input: { value: "" } }] },
        { text: "done" },
      ],
      ({ task }) => ({ text: `did ${task}` }),
      { tools: [createTestTool("Look", () => gate.promise.then(() => "looked"))] },
    );
    const id = await family.spawn({ task: "root" });
    await eventually(async () => {
      const children = await family.registry.children(id);
      const hasEnded = children.length === 3 && children.every(({ result }) => result !== null);
      return hasEnded ? true : undefined;
    });
    gate.resolve();
    expect(await family.engine.result(id)).toMatchObject({ status: "succeeded" });
    const messages = deliveries(await family.events(id)).flat();
    expect(messages.map(({ text }) => text.slice(-5)).toSorted()).toEqual([
      "did a",
      "did b",
      "did c",
    ]);
    expect(deliveries(await family.events(id)).length).toBeLessThan(3);
  });

  test("whose result its parent got from a tool is not told again, nor waited for", async () => {
    const family: Family = createFamily(
      [
        { calls: [start("child")] },
        { calls: [{ tool: "Collect", input: { value: "" } }] },
        { text: "done" },
      ],
      ({ task }) => ({ text: `did ${task}` }),
      {
        tools: [
          createTestTool("Collect", async (_, { runId }) => {
            const children = await family.registry.children(runId);
            const ids = children.map(({ id }) => id);
            const results = await Promise.all(ids.map((id) => family.engine.result(id)));
            family.engine.collect(runId, ids);
            return results.map(({ text }) => text).join();
          }),
        ],
      },
    );
    const result = await family.run({ task: "root" });
    expect(result).toMatchObject({ status: "succeeded", turns: 3 });
    const got = [...family.told, ...deliveries(await family.events(result.runId))];
    expect(JSON.stringify(got).match(/did child/g)).toHaveLength(1);
  });

  test("is not lost to a parent whose conversation was compacted meanwhile", async () => {
    const family: Family = createFamily(
      [
        { calls: [start("child")] },
        ...Array.from({ length: 8 }, () => ({ calls: [{ tool: "Read", input: { value: "" } }] })),
        { text: "nothing to do" },
        { text: "heard it" },
      ],
      ({ task }) => ({ text: `did ${task}` }),
      {
        contextTokens: 4000,
        tools: [createTestTool("Read", () => "x".repeat(3000), { access: "read" })],
        request: () => ({ dependsOn: ["gate"] }),
      },
    );
    family.registry.append("gate", created("gate"));
    const id = await family.spawn({ task: "root" });
    await eventually(async () =>
      (await family.events(id)).some(({ type }) => type === "children-awaited") ? true : undefined,
    );
    family.registry.append("gate", finished("gate"));
    expect(await family.engine.result(id)).toMatchObject({ text: "heard it" });
    const types = (await family.events(id)).map(({ type }) => type);
    expect(types).toContain("conversation-compacted");
    expect(family.told.at(-1)).toContain("did child");
  });

  test("ends with its parent when that is cancelled, held or not", async () => {
    const family = createFamily([{ calls: [start("child")] }, { text: "waiting" }], () => never);
    const id = await family.spawn({ task: "root" });
    await eventually(async () =>
      (await family.events(id)).some(({ type }) => type === "children-awaited") ? true : undefined,
    );
    const [child] = await family.registry.children(id);
    await family.engine.cancel(id, "enough", "user");
    expect(await family.engine.result(id)).toMatchObject({ status: "cancelled", text: "waiting" });
    expect(await family.engine.result(child?.id ?? "")).toMatchObject({
      status: "cancelled",
      failure: { message: `Its parent main (${id}) ended.` },
    });
  });
});

describe("a detached run", () => {
  const request = (): Partial<SpawnRequest> => ({ detached: true });

  test("outlives its parent, which is not held for it", async () => {
    const gate = Promise.withResolvers<void>();
    const family = createFamily(
      [{ calls: [start("child")] }, { text: "done" }],
      async ({ task }) => {
        await gate.promise;
        return { text: `did ${task}` };
      },
      { request },
    );
    const result = await family.run({ task: "root" });
    expect(result).toMatchObject({ status: "succeeded", turns: 2 });
    const [child] = await family.registry.children(result.runId);
    expect(family.engine.isExecuting(child?.id ?? "")).toBe(true);
    gate.resolve();
    await family.engine.idle();
    expect(await family.engine.result(child?.id ?? "")).toMatchObject({ text: "did child" });
  });

  test("is told to its parent when that is still there", async () => {
    const family: Family = createFamily(
      [{ calls: [start("child")] }, { calls: [{ tool: "Wait", input: {} }] }, { text: "done" }],
      ({ task }) => ({ text: `did ${task}` }),
      {
        request,
        tools: [
          createTestTool("Wait", async (_, { runId }) => {
            const [child] = await family.registry.children(runId);
            return (await family.engine.result(child?.id ?? "")).status;
          }),
        ],
      },
    );
    await family.run({ task: "root" });
    expect(family.told.filter((text) => text.includes("did child"))).toHaveLength(1);
  });

  test("is reached by a cancel of its ended root, and by that of its parent at work", async () => {
    const family = createFamily([{ calls: [start("child")] }, { text: "done" }], () => never, {
      request,
    });
    const { runId } = await family.run({ task: "root" });
    const [child] = await family.registry.children(runId);
    expect(await family.engine.cancel(runId, "enough", "user")).toBe(true);
    expect(await family.engine.result(child?.id ?? "")).toMatchObject({ status: "cancelled" });
    expect(await family.engine.cancel(runId, "enough", "user")).toBe(false);

    const busy = createFamily([{ calls: [start("child")] }, never], () => never, { request });
    const root = await busy.spawn({ task: "root" });
    await eventually(() => (busy.told.length > 1 ? true : undefined));
    await busy.engine.cancel(root, "enough", "user");
    const [other] = await busy.registry.children(root);
    expect(await busy.engine.result(other?.id ?? "")).toMatchObject({ status: "cancelled" });
  });
});

/** What an earlier process recorded of a root that started a child in the background in its first turn. */
const begun: RunEventBody[] = [
  {
    type: "step-finished",
    key: "model/1",
    kind: "model",
    durationMs: 0,
    value: {
      parts: [{ type: "tool-call", id: "c", tool: "Start", input: { value: "child" } }],
      finish: "tool-calls",
      warnings: [],
    },
  },
  { type: "step-started", key: "tool/1/0", title: "Start child", hasEffect: false },
  { type: "step-finished", key: "tool/1/0", kind: "tool", value: { text: "c" }, durationMs: 0 },
];

describe("after a crash, a run in the background", () => {
  const child = {
    ...{ rootId: "r", parentId: "r", parentStep: "tool/1/0", depth: 1 },
    ...{ task: "child", background: true },
  };

  /** Goes on with a root that began with `events`, and a child `c` of it that had come to its end or not. */
  async function goOn(events: readonly RunEventBody[], childEvents: readonly RunEventBody[]) {
    const told: string[] = [];
    const started: RunEventBody = { type: "run-started", owner: "1" };
    const path = await leaveRuns([
      { id: "r", spec: { task: "root" }, events: [started, ...begun, ...events] },
      { id: "c", spec: child, events: childEvents },
    ]);
    const place = createEnginePlace({
      path,
      script({ task, last }) {
        if (task === "child") return { text: "did child" };
        told.push(last);
        return { text: "done" };
      },
    });
    await place.engine.resume("r");
    const result = await place.engine.result("r");
    return { told, result, events: await place.events("r") };
  }

  test("is executed on, and told", async () => {
    const { told, result } = await goOn([], [{ type: "run-started", owner: "1" }]);
    expect(result.status).toBe("succeeded");
    expect(told.filter((text) => text.includes("did child"))).toHaveLength(1);
  });

  test("is told when it had ended and its parent had not heard of it", async () => {
    const { told, events } = await goOn([], [finished("c", { text: "had done it" })]);
    expect(told).toEqual(["[The background run main (run c) has ended: succeeded]\n\nhad done it"]);
    expect(deliveries(events)).toHaveLength(1);
  });

  test("is not told again when its parent had heard of it, by a message or from a tool", async () => {
    const message: Message = { id: "c", kind: "result", from: "c", text: "had done it" };
    const heard: RunEventBody[] = [
      { type: "messages-delivered", step: "model/2", messages: [message] },
      { type: "results-collected", runIds: ["c"] },
    ];
    const [byMessage, byTool] = [
      await goOn(heard.slice(0, 1), [finished("c")]),
      await goOn(heard.slice(1), [finished("c")]),
    ];
    // What it had been told before the crash is what it is asked with once more.
    expect(byMessage.told).toEqual(["had done it"]);
    expect(deliveries(byMessage.events)).toHaveLength(1);
    expect(byTool.told).toEqual(["c"]);
    expect(deliveries(byTool.events)).toHaveLength(0);
  });

  test("holds its parent again, which had been held for it", async () => {
    const answer: RunEventBody = {
      type: "step-finished",
      key: "model/2",
      kind: "model",
      durationMs: 0,
      value: { parts: [{ type: "text", text: "waiting" }], finish: "stop", warnings: [] },
    };
    const held: RunEventBody = { type: "children-awaited", runIds: ["c"] };
    const { told, result } = await goOn([answer, held], []);
    expect(told).toEqual(["[The background run main (run c) has ended: succeeded]\n\ndid child"]);
    expect(result).toMatchObject({ text: "done", turns: 1 });
  });
});
