import { describe, expect, test } from "vitest";
import { childOf, createStartTool } from "../../../test/fixtures/child-run.ts";
import {
  createEngineFixture,
  createTestTool,
  type EngineGiven,
  type EngineFixture,
  eventually,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { leaveRuns } from "../../../test/fixtures/left-run.ts";
import { finished } from "../../../test/fixtures/run-spec.ts";
import type { Price } from "../../model/model.ts";
import { createScriptedModel, type Script } from "../../model/script/scripted-model.ts";
import type { RunEventBody } from "../../run/event.ts";
import { noUsage } from "../../run/usage.ts";

const usage = { inputTokens: 100, outputTokens: 50 };
const note = { tool: "Note", input: { value: "x" } };

/** An engine whose model takes 150 tokens per step; with a price, a token costs a millionth of a dollar. */
function createPricedFixture(script: Script, price: Price | null, given: EngineGiven = {}) {
  const asked: string[] = [];
  const language = createScriptedModel(async (conversation) => {
    asked.push(conversation.task);
    const reply = await script(conversation);
    return reply && { usage, ...reply };
  });
  const model = { id: "scripted:test", language, price, contextTokens: 100_000 };
  const tools = [createTestTool("Note", () => "noted", { access: "none" }), ...(given.tools ?? [])];
  const fixture = createEngineFixture({ ...given, tools, resolveModel: async () => model });
  return { ...fixture, asked };
}

const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const busy: Script = () => ({ text: "still at it", calls: [note] });

describe("a run with a budget", () => {
  test("of tokens ends before the request that would exceed it, with its text so far", async () => {
    const fixture = createPricedFixture(busy, null);
    const result = await fixture.run({ budget: { tokens: 1000 } });
    expect(result).toMatchObject({
      status: "failed",
      text: "still at it",
      failure: { code: "budget-exceeded", details: { resource: "tokens", limit: 1000 } },
    });
    const total = result.usage.inputTokens + result.usage.outputTokens;
    expect(total).toBeLessThanOrEqual(1000);
    expect(total).toBe(result.turns * 150);
    expect(fixture.asked).toHaveLength(result.turns);
    expect(result.turns).toBeGreaterThan(1);
  });

  test("of dollars does the same with a price, and makes no request without one", async () => {
    const priced = await createPricedFixture(busy, price).run({ budget: { usd: 0.001 } });
    expect(priced.failure).toMatchObject({ code: "budget-exceeded", details: { resource: "usd" } });
    expect(priced.cost).toBeCloseTo(priced.turns * 0.00015, 9);
    expect(priced.cost).toBeLessThanOrEqual(0.001);
    const unpriced = createPricedFixture(busy, null);
    const refused = await unpriced.run({ budget: { usd: 1 } });
    expect(refused.failure?.message).toContain("the price of scripted:test is unknown");
    expect(unpriced.asked).toEqual([]);
  });

  test("of calls makes exactly that many calls", async () => {
    let calls = 0;
    const tool = createTestTool("Count", () => `${(calls += 1)}`);
    const fixture = createPricedFixture(() => ({ calls: [{ tool: "Count", input: {} }] }), null, {
      tools: [tool],
    });
    const result = await fixture.run({ budget: { toolCalls: 3 } });
    expect(result.failure).toMatchObject({
      code: "budget-exceeded",
      details: { resource: "toolCalls", used: 3 },
    });
    expect(calls).toBe(3);
  });

  test("of time ends at its time limit, with all its descendants", async () => {
    const clock = createFakeClock();
    const fixture: EngineFixture = createEngineFixture({
      clock,
      tools: [createStartTool(() => fixture)],
      limits: { stallSeconds: 10_000 },
      script: ({ task, turn }) =>
        task === "root" && turn === 0
          ? { text: "first words", calls: [{ tool: "Start", input: { value: "child" } }] }
          : { fault: { kind: "hang" } },
    });
    const id = await fixture.spawn({ task: "root", budget: { wallSeconds: 60 } });
    const child = await eventually(async () => (await fixture.registry.children(id))[0]?.id);
    const hasBegun = async (runId: string) =>
      (await fixture.registry.run(runId))?.startedAt != null;
    await eventually(async () => ((await hasBegun(child)) ? true : undefined));
    await eventually(async () =>
      (await fixture.registry.run(id))?.own.turns === 1 ? true : undefined,
    );
    clock.advance(59_999);
    expect((await fixture.registry.run(id))?.status).toBe("running");
    clock.advance(1);
    expect(await fixture.engine.result(id)).toMatchObject({
      status: "failed",
      text: "first words",
      failure: { code: "budget-exceeded", details: { resource: "wallSeconds", limit: 60 } },
    });
    expect((await fixture.registry.run(child))?.status).toBe("cancelled");
  });
});

describe("the budget of a family", () => {
  /** A root that starts the children `a` and `b` at once and answers when it has both results. */
  function createFamily(
    children: Script,
    request: () => object = () => ({}),
    given: EngineGiven = {},
  ) {
    const fixture: ReturnType<typeof createPricedFixture> = createPricedFixture(
      (conversation) => {
        if (conversation.task !== "root") return children(conversation);
        const calls = ["a", "b"].map((value) => ({ tool: "Start", input: { value } }));
        return conversation.turn === 0 ? { calls } : { text: conversation.text };
      },
      null,
      { ...given, tools: [createStartTool(() => fixture, request)] },
    );
    return fixture;
  }

  test("is never exceeded by children that use it concurrently", async () => {
    const fixture = createFamily(busy);
    const result = await fixture.run({ task: "root", budget: { tokens: 3000 } });
    const runs = await fixture.registry.family(result.runId);
    const used = runs.map(({ own }) => own.usage.inputTokens + own.usage.outputTokens);
    expect(runs).toHaveLength(3);
    expect(used.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(3000);
    const codes = runs.slice(1).map((run) => run.result?.failure?.code);
    expect(codes).toEqual(["budget-exceeded", "budget-exceeded"]);
  });

  test("reserves the shares of children: a request for more than is free gets an error to act on", async () => {
    const fixture = createFamily(
      () => ({ text: "done" }),
      () => ({ budget: { tokens: 3000 } }),
    );
    const result = await fixture.run({ task: "root", budget: { tokens: 5000 } });
    expect(result).toMatchObject({ status: "succeeded" });
    expect(result.text).toMatch(
      /A budget of 3000 tokens was requested, but only \d+ of the 5000 of run .* are free/,
    );
    expect((await fixture.registry.children(result.runId)).length).toBe(1);
  });

  test("lets a child wait while others hold it, without a slot, and not counted as stalled", async () => {
    const clock = createFakeClock();
    const fault = { kind: "hang" } as const;
    let first: string | undefined;
    const fixture = createFamily(
      ({ task }) => {
        if (task !== "free") first ??= task;
        return task === first ? { fault } : { text: `did ${task}` };
      },
      undefined,
      { clock, concurrency: 2, limits: { stallSeconds: 120 } },
    );
    const id = await fixture.spawn({ task: "root", budget: { tokens: 3000 } });
    await eventually(async () => {
      const children = await fixture.registry.children(id);
      const begun = children.filter(({ startedAt }) => startedAt !== null);
      return begun.length === 2 && first !== undefined ? true : undefined;
    });
    const children = await fixture.registry.children(id);
    const other = children.find(({ task }) => task !== first);
    // There are two slots, and the first child has one.
    expect(await fixture.run({ task: "free" })).toMatchObject({ text: "did free" });
    clock.advance(150_000);
    await fixture.engine.cancel(other?.id ?? "", "enough", "user");
    expect(await fixture.engine.result(other?.id ?? "")).toMatchObject({
      status: "cancelled",
      turns: 0,
    });
    expect(fixture.asked).not.toContain(other?.task);
    await fixture.engine.cancel(id, "enough", "user");
  });

  test("gets back the part that a child did not use", async () => {
    const fixture = createEngineFixture({
      async program({ task }, { runId }) {
        if (task === "child") return "done";
        const run = await fixture.registry.run(runId);
        if (run === undefined) return "";
        // One after another, each may use all of it.
        for (let count = 0; count < 3; count += 1) {
          const id = await fixture.spawn(childOf(run, { task: "child", budget: { tokens: 1000 } }));
          await fixture.engine.result(id);
          await eventually(() => (fixture.engine.isExecuting(id) ? undefined : true));
        }
        return "all done";
      },
    });
    expect(await fixture.run({ budget: { tokens: 1000 } })).toMatchObject({ text: "all done" });
  });
});

/** A model step of an earlier process that took 400 tokens, with a call that was made. */
const taken: RunEventBody[] = [
  { type: "run-started", owner: "1" },
  {
    type: "step-finished",
    key: "model/1",
    kind: "model",
    value: {
      parts: [{ type: "tool-call", id: "c", tool: "Note", input: { value: "x" } }],
      finish: "tool-calls",
      warnings: [],
    },
    usage: { ...noUsage, inputTokens: 300, outputTokens: 100 },
    cost: 0.25,
    durationMs: 0,
  },
  { type: "step-started", key: "tool/1/0", title: "Note x", hasEffect: false },
  { type: "step-finished", key: "tool/1/0", kind: "tool", value: { text: "" }, durationMs: 0 },
];

describe("after a crash, a budget", () => {
  test.each([
    ["tokens", { tokens: 450 }, 400],
    ["usd", { usd: 0.2501 }, 0.25],
  ])("of %s counts the earlier usage", async (resource, budget, used) => {
    const path = await leaveRuns([{ id: "r", spec: { budget }, events: taken }]);
    const fixture = createPricedFixture(busy, price, { path });
    await fixture.engine.resume("r");
    expect((await fixture.engine.result("r")).failure).toMatchObject({
      code: "budget-exceeded",
      details: { resource, used },
    });
    expect(fixture.asked).toEqual([]);
  });

  test("of calls counts the earlier calls", async () => {
    const path = await leaveRuns([{ id: "r", spec: { budget: { toolCalls: 2 } }, events: taken }]);
    const fixture = createPricedFixture(busy, price, { path });
    await fixture.engine.resume("r");
    expect(await fixture.engine.result("r")).toMatchObject({
      failure: { code: "budget-exceeded", details: { resource: "toolCalls", used: 2 } },
      // One call before the crash, one after; the third was refused.
      turns: 3,
    });
  });

  test("counts the usage of ended and of active children", async () => {
    const below = { rootId: "r", parentId: "r", depth: 1, background: true };
    const path = await leaveRuns([
      { id: "r", spec: { budget: { tokens: 1250 } }, events: taken },
      { id: "a", spec: { ...below, parentStep: "a" }, events: [...taken, finished("a")] },
      { id: "b", spec: { ...below, parentStep: "b" }, events: taken },
    ]);
    const fixture = createPricedFixture(busy, price, { path });
    await fixture.engine.resume("r");
    expect((await fixture.engine.result("r")).failure).toMatchObject({
      code: "budget-exceeded",
      details: { limit: 1250, used: 1200 },
    });
    expect((await fixture.registry.run("b"))?.result?.failure?.code).toMatch(
      /budget-exceeded|cancelled/,
    );
    expect(fixture.asked).toEqual([]);
  });

  test("of an ended run limits its remaining active descendants together", async () => {
    const below = { rootId: "r", parentId: "r", depth: 1, background: true, detached: true };
    const path = await leaveRuns([
      { id: "r", spec: { budget: { tokens: 2500 } }, events: [...taken, finished("r")] },
      { id: "a", spec: { ...below, parentStep: "a" }, events: taken },
      { id: "b", spec: { ...below, parentStep: "b" }, events: taken },
    ]);
    const fixture = createPricedFixture(busy, price, { path });
    await fixture.engine.resume("r");
    await fixture.engine.idle();
    const runs = await fixture.registry.family("r");
    const used = runs.map(({ own }) => own.usage.inputTokens + own.usage.outputTokens);
    expect(used.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(2500);
    expect(fixture.asked.length).toBeGreaterThan(0);
    for (const { result } of runs.slice(1)) {
      expect(result?.failure).toMatchObject({
        code: "budget-exceeded",
        details: { limit: 2500, owner: "r" },
      });
    }
  });
});
