import { describe, expect, test } from "vitest";
import { createStartTool } from "../../../test/fixtures/child-run.ts";
import {
  createEngineFixture,
  createTestTool,
  type EngineGiven,
  type EngineFixture,
  eventually,
} from "../../../test/fixtures/engine-fixture.ts";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import type { RunEvent } from "../../run/event.ts";
import type { Message } from "../../run/message.ts";
import type { Script } from "../../model/script/scripted-model.ts";
import type { SpawnRequest } from "../engine.ts";

const start = (value: string) => ({ tool: "Start", input: { value } });
const never = { fault: { kind: "hang" } } as const;

interface Family extends EngineFixture {
  /** The messages that the root's model got in each turn. */
  received: string[];
}

/** A family whose root makes the calls of `turns` in its first turns; `children` scripts the others. */
function createFamily(
  turns: readonly ReturnType<Script>[],
  children: Script,
  { request, ...given }: EngineGiven & { request?: (task: string) => Partial<SpawnRequest> } = {},
): Family {
  const received: string[] = [];
  const fixture: EngineFixture = createEngineFixture({
    script(conversation) {
      if (conversation.task !== "root") return children(conversation);
      received.push(conversation.last);
      return turns[Math.min(conversation.turn, turns.length - 1)] ?? null;
    },
    ...given,
    tools: [createStartTool(() => fixture, request), ...(given.tools ?? [])],
  });
  return { ...fixture, received };
}

const deliveries = (events: readonly RunEvent[]): (readonly Message[])[] =>
  events.flatMap((event) => (event.type === "messages-delivered" ? [event.messages] : []));

describe("a run in the background", () => {
  test("delivers its result once, to a parent that waits without a slot", async () => {
    const family = createFamily(
      [{ calls: [start("child")] }, { text: "nothing to do" }, { text: "heard it" }],
      ({ task }) => ({ text: `did ${task}` }),
      { concurrency: 1 },
    );
    const result = await family.run({ task: "root" });
    expect(result).toMatchObject({ status: "succeeded", text: "heard it", own: { turns: 3 } });
    const child = family.received[1] ?? "";
    expect(family.received[2]).toBe(
      `[The background run main (run ${child}) has ended: succeeded]\n\ndid child`,
    );
    expect(deliveries(await family.events(result.runId))).toMatchObject([
      [{ id: child, kind: "result" }],
    ]);
  });

  test("delivers its failure with the reason", async () => {
    const family = createFamily(
      [{ calls: [start("child")] }, { text: "done" }],
      () => ({ text: "no", fault: { kind: "status", status: 400 } }),
      { request: () => ({ label: "reader" }) },
    );
    await family.run({ task: "root" });
    expect(family.received[2]).toMatch(
      /^\[The background run reader \(agent main, run .*\) has ended: failed, model-error: /,
    );
  });

  test("delivers its result between two turns of an active parent", async () => {
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
    // With the results of its calls, and not again.
    expect(family.received.filter((text) => text.includes("did child"))).toHaveLength(1);
    const isDelivery = ({ type }: RunEvent): boolean => type === "messages-delivered";
    expect((await family.events(id)).find(isDelivery)).toMatchObject({ step: "model/2" });
    expect((await family.events(id)).some(({ type }) => type === "children-awaited")).toBe(false);
  });

  test("delivers its result together with those that ended meanwhile", async () => {
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

  test("delivers its result with all others to a parent with one turn left", async () => {
    const gates = { quick: Promise.withResolvers<void>(), slow: Promise.withResolvers<void>() };
    const family = createFamily(
      [{ calls: [start("quick"), start("slow")] }, { text: "waiting" }, { text: "heard both" }],
      async ({ task }) => {
        await gates[task as keyof typeof gates].promise;
        return { text: `did ${task}` };
      },
    );
    const id = await family.spawn({ task: "root", maxTurns: 3 });
    await eventually(async () =>
      (await family.events(id)).find(({ type }) => type === "children-awaited"),
    );
    const [quick] = await family.registry.children(id);
    gates.quick.resolve();
    await family.engine.result(quick?.id ?? "");
    gates.slow.resolve();
    expect(await family.engine.result(id)).toMatchObject({ text: "heard both", warnings: [] });
    expect(deliveries(await family.events(id))).toMatchObject([[{ id: quick?.id }, {}]]);
  });

  test("does not replace the answer of a parent without turns left, which gets a warning", async () => {
    const family = createFamily([{ calls: [start("child")] }, { text: "over" }], ({ task }) => ({
      text: `did ${task}`,
    }));
    const result = await family.run({ task: "root", maxTurns: 2 });
    expect(result).toMatchObject({ status: "succeeded", text: "over" });
    expect(result.warnings).toEqual([
      expect.stringMatching(
        /^Agent main answered in the last of its 2 turns, .* from: main \(run /,
      ),
    ]);
    expect(await family.registry.children(result.runId)).toMatchObject([{ status: "succeeded" }]);
  });

  test("delivers no result that its parent already got from a tool, and is not waited for", async () => {
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
    expect(result).toMatchObject({ status: "succeeded", own: { turns: 3 } });
    const got = [...family.received, ...deliveries(await family.events(result.runId))];
    expect(JSON.stringify(got).match(/did child/g)).toHaveLength(1);
  });

  test("delivers its result to a parent whose conversation was compacted meanwhile", async () => {
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
    expect(family.received.at(-1)).toContain("did child");
  });

  test("ends with its cancelled parent, whether that waits or not", async () => {
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

  test("outlives its parent, which does not wait for it", async () => {
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

  test("delivers its result to its parent if that is still active", async () => {
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
    expect(family.received.filter((text) => text.includes("did child"))).toHaveLength(1);
  });

  test("is reached by a cancel of its ended root, and of its active parent", async () => {
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
    await eventually(() => (busy.received.length > 1 ? true : undefined));
    await busy.engine.cancel(root, "enough", "user");
    const [other] = await busy.registry.children(root);
    expect(await busy.engine.result(other?.id ?? "")).toMatchObject({ status: "cancelled" });
  });
});
