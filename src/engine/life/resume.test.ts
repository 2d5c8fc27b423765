import { describe, expect, test } from "vitest";
import {
  createPlainDefinition,
  createEngineFixture,
  createTestTool,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { leaveRuns, resumeLeftRun } from "../../../test/fixtures/left-run.ts";
import { createSpec } from "../../../test/fixtures/run-spec.ts";
import type { RunEventBody } from "../../run/event.ts";
import type { JsonObject } from "../../source/json.ts";

const policies = [{ mode: "auto" as const, rules: { allow: [], ask: [], deny: [] } }];

const modelStep = (turn: number, value: JsonObject): RunEventBody => ({
  type: "step-finished",
  key: `model/${turn}`,
  kind: "model",
  value,
  usage: {
    inputTokens: 7,
    outputTokens: 3,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  },
  cost: 0.25,
  durationMs: 1,
});
const calling = (tool: string): JsonObject => ({
  parts: [{ type: "tool-call", id: "c1", tool, input: { value: "x" } }],
  finish: "tool-calls",
  warnings: [],
});
const begun = (hasEffect: boolean): RunEventBody => ({
  type: "step-started",
  key: "tool/1/0",
  title: "Do x",
  hasEffect,
});

describe("a run that is resumed", () => {
  test("does not repeat answered model requests, and counts their cost", async () => {
    let asked = 0;
    const fixture = await resumeLeftRun([modelStep(1, calling("Do"))], {
      tools: [createTestTool("Do", () => "did")],
      script({ turn }) {
        asked += 1;
        return { text: `turn ${turn}` };
      },
    });
    const result = await fixture.engine.result("r");
    expect(result).toMatchObject({ status: "succeeded", text: "turn 1", turns: 2 });
    expect(result.usage.inputTokens).toBeGreaterThan(7);
    expect(asked).toBe(1);
    expect(await fixture.registry.run("r")).toMatchObject({ attempts: 2 });
  });

  test("reports a call with an effect as interrupted and does not repeat it", async () => {
    let done = 0;
    const received: string[] = [];
    const fixture = await resumeLeftRun([modelStep(1, calling("Do")), begun(true)], {
      tools: [createTestTool("Do", () => `${(done += 1)}`)],
      script({ last }) {
        received.push(last);
        return { text: "done" };
      },
    });
    await fixture.engine.result("r");
    expect(done).toBe(0);
    expect(received[0]).toContain("Interrupted, effect unknown, check before repeating: Do x");
  });

  test("repeats a call that only reads", async () => {
    const received: string[] = [];
    const fixture = await resumeLeftRun([modelStep(1, calling("Do")), begun(false)], {
      tools: [createTestTool("Do", () => "what was read", { access: "read" })],
      script({ last }) {
        received.push(last);
        return { text: "done" };
      },
    });
    await fixture.engine.result("r");
    expect(received).toEqual(["what was read"]);
  });

  test("has the remaining time of its timeout", async () => {
    const clock = createFakeClock();
    const before = createEngineFixture({ clock });
    const hash = before.registry.putContent(createPlainDefinition() as unknown as JsonObject);
    const given = { definition: hash, model: "scripted:test", timeoutSeconds: 60 };
    before.registry.append("r", { type: "run-created", spec: createSpec("r", given) });
    before.registry.append("r", { type: "run-started", owner: "1" });
    clock.advance(50_000);
    before.registry.append("r", { type: "warning-raised", message: "still there" });
    await before.registry.close();
    clock.advance(100_000);
    const asked = Promise.withResolvers<void>();
    const fixture = createEngineFixture({
      path: before.path,
      clock,
      script() {
        asked.resolve();
        return { text: "never", fault: { kind: "hang" } };
      },
    });
    await fixture.engine.resume("r");
    await asked.promise;
    clock.advance(9999);
    expect(await fixture.registry.run("r")).toMatchObject({ status: "running", spentMs: 50_000 });
    clock.advance(1);
    expect(await fixture.engine.result("r")).toMatchObject({ status: "timed-out" });
  });

  test("ends children that no process continues", async () => {
    const before = createEngineFixture();
    const hash = before.registry.putContent(createPlainDefinition() as unknown as JsonObject);
    const spec = { definition: hash, policies, model: "scripted:test" };
    before.registry.append("r", { type: "run-created", spec: createSpec("r", spec) });
    before.registry.append("r", { type: "run-started", owner: "1" });
    const child = { ...spec, rootId: "r", parentId: "r", parentStep: "gone", depth: 1 };
    before.registry.append("c", { type: "run-created", spec: createSpec("c", child) });
    const grandchild = { ...child, parentId: "c", depth: 2 };
    before.registry.append("g", { type: "run-created", spec: createSpec("g", grandchild) });
    await before.registry.close();
    const fixture = createEngineFixture({ path: before.path });
    await fixture.engine.resume("r");
    expect(await fixture.engine.result("r")).toMatchObject({ status: "succeeded" });
    for (const id of ["c", "g"]) {
      const run = await fixture.registry.run(id);
      expect(run?.result).toMatchObject({ status: "cancelled", failure: { code: "interrupted" } });
    }
    expect(await fixture.registry.abandoned()).toEqual([]);
  });

  test("stays unfinished, for any process, when its model is unavailable", async () => {
    const path = await leaveRuns([{ id: "r", spec: { model: "anthropic:sonnet" } }]);
    const fixture = createEngineFixture({
      path,
      resolveModel: () => Promise.reject(new Error("no key")),
    });
    await expect(fixture.engine.resume("r")).rejects.toThrow("no key");
    const other = createEngineFixture({ path });
    expect(await other.registry.abandoned()).toEqual(["r"]);
    expect(await other.events("r")).toHaveLength(1);
  });

  test("is refused while another process executes it", async () => {
    const fixture = createEngineFixture({ script: () => ({ text: "x", fault: { kind: "hang" } }) });
    const id = await fixture.spawn();
    const other = createEngineFixture({ path: fixture.path });
    await expect(other.engine.resume(id)).rejects.toMatchObject({ code: "run-owned" });
    expect(await other.engine.cancel(id, "enough", "user")).toBe(true);
    expect(await fixture.engine.result(id)).toMatchObject({ failure: { message: "enough" } });
  });

  test("can be cancelled on behalf of a process that is gone", async () => {
    const before = createEngineFixture();
    before.registry.append("r", { type: "run-created", spec: createSpec("r") });
    const child = { rootId: "r", parentId: "r", parentStep: "s", depth: 1 };
    before.registry.append("c", { type: "run-created", spec: createSpec("c", child) });
    await before.registry.close();
    const fixture = createEngineFixture({ path: before.path });
    expect(await fixture.engine.cancel("r", "enough", "user")).toBe(true);
    expect(await fixture.registry.run("r")).toMatchObject({ status: "cancelled" });
    expect(await fixture.registry.run("c")).toMatchObject({ status: "cancelled" });
    expect(await fixture.engine.cancel("r", "enough", "user")).toBe(false);
  });
});

describe("a run whose registry fails", () => {
  test("rejects, ends its children, and leaves nothing running when closed", async () => {
    const fixture = createEngineFixture({ script: () => ({ text: "x", fault: { kind: "hang" } }) });
    const root = await fixture.spawn();
    const child = await fixture.spawn({ rootId: root, parentId: root, parentStep: "s", depth: 1 });
    await fixture.registry.close();
    const results = [fixture.engine.result(root), fixture.engine.result(child)];
    const cancelled = fixture.engine.cancel(root, "enough", "user");
    await expect(cancelled).rejects.toMatchObject({ code: "closed" });
    await fixture.engine.close();
    for (const result of await Promise.allSettled(results)) expect(result.status).toBe("rejected");
    expect(fixture.engine.isExecuting(root)).toBe(false);
    expect(fixture.engine.isExecuting(child)).toBe(false);
  });

  test("does not begin a child of an ended parent", async () => {
    const fixture = createEngineFixture();
    const { runId } = await fixture.run();
    await expect(fixture.spawn({ parentId: runId, rootId: runId })).rejects.toMatchObject({
      code: "closed",
    });
  });
});
