import { describe, expect, test } from "vitest";
import { createStartTool } from "../../../test/fixtures/child-run.ts";
import {
  createEngineFixture,
  createTestTool,
  type EngineFixture,
  eventually,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { leaveRuns } from "../../../test/fixtures/left-run.ts";
import type { RunEventBody } from "../../run/event.ts";
import type { Script } from "../../model/script/scripted-model.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const usage = { inputTokens: 100, outputTokens: 50 };

/** An engine whose agents call `Wait`, which waits until the test opens the gate, and then use up their budgets. */
function createGatedFixture(script: Script = busy, path?: string) {
  const gate = Promise.withResolvers<string>();
  const wait = createTestTool("Wait", async () => await gate.promise, { access: "none" });
  const fixture: EngineFixture = createEngineFixture({
    tools: [
      wait,
      createStartTool(
        () => fixture,
        () => ({ budget: { tokens: 1000 } }),
      ),
    ],
    ...omitUndefined({ path }),
    script: async (conversation) => ({ usage, ...(await script(conversation)) }),
  });
  const waits = async (runId: string): Promise<void> =>
    await eventually(async () =>
      (await fixture.registry.run(runId))?.openSteps === 1 ? true : undefined,
    ).then(() => undefined);
  return { ...fixture, open: () => gate.resolve("go"), waits };
}

const busy: Script = () => ({ calls: [{ tool: "Wait", input: {} }] });

/** A root that starts a child with 1,000 tokens, and waits for it. */
const delegating: Script = (conversation) => {
  if (conversation.task !== "root") return busy(conversation);
  const calls = [{ tool: "Start", input: { value: "child" } }];
  return conversation.turn === 0 ? { calls } : { text: "waiting" };
};

const usedBy = async ({ registry }: EngineFixture, id: string): Promise<number> => {
  const { usage: used } = (await registry.run(id))?.own ?? { usage };
  return used.inputTokens + used.outputTokens;
};

describe("the limits of an active run", () => {
  test("are raised: it uses more than its first budget, and ends at the new one", async () => {
    const fixture = createGatedFixture();
    const id = await fixture.spawn({ budget: { tokens: 1000, toolCalls: 50 } });
    await fixture.waits(id);
    await fixture.engine.raise(id, { budget: { tokens: 2000 } }, "user");
    expect((await fixture.registry.run(id))?.budget).toEqual({ tokens: 3000, toolCalls: 50 });
    fixture.open();
    const { failure } = await fixture.engine.result(id);
    expect(failure).toMatchObject({ code: "budget-exceeded", details: { limit: 3000 } });
    const used = await usedBy(fixture, id);
    expect(used).toBeGreaterThan(1000);
    expect(used).toBeLessThanOrEqual(3000);
  });

  test("of time are raised while it is at work, and while it waits in the queue", async () => {
    const clock = createFakeClock();
    const fixture = createEngineFixture({
      clock,
      concurrency: 1,
      limits: { stallSeconds: 100_000 },
      script: () => ({ fault: { kind: "hang" } }),
    });
    const id = await fixture.spawn({ timeoutSeconds: 60, budget: { wallSeconds: 90 } });
    const queued = await fixture.spawn({ timeoutSeconds: 60 });
    await eventually(async () =>
      (await fixture.registry.run(id))?.status === "running" ? true : undefined,
    );
    clock.advance(59_000);
    const more = { timeoutSeconds: 60, budget: { wallSeconds: 10 } };
    await fixture.engine.raise(id, more, "user");
    await fixture.engine.raise(queued, { timeoutSeconds: 40 }, "user");
    clock.advance(40_999);
    expect((await fixture.registry.run(id))?.status).toBe("running");
    clock.advance(1);
    const { failure } = await fixture.engine.result(id);
    expect(failure?.message).toBe(`The budget of 100 wallSeconds (of run ${id}) is used up.`);
    await eventually(async () =>
      (await fixture.registry.run(queued))?.status === "running" ? true : undefined,
    );
    clock.advance(99_999);
    expect((await fixture.registry.run(queued))?.status).toBe("running");
    clock.advance(1);
    expect(await fixture.engine.result(queued)).toMatchObject({
      status: "timed-out",
      failure: { message: "Agent main did not finish within its timeout of 100 s." },
    });
  });

  test("cannot take more than the budget above has free, which names what to raise", async () => {
    const fixture = createGatedFixture(delegating);
    const id = await fixture.spawn({ task: "root", budget: { tokens: 1500 } });
    const child = await eventually(async () => (await fixture.registry.children(id))[0]?.id);
    await fixture.waits(child);
    const raise = { budget: { tokens: 1000 } };
    await expect(fixture.engine.raise(child, raise, "user")).rejects.toMatchObject({
      code: "budget-exceeded",
      message: expect.stringMatching(
        /^The tokens of run \S+ cannot be raised by 1000: only \d+ of the 1500 of run \S+ are free\. Raise those first, or ask for less\.$/,
      ),
    });
    expect((await fixture.registry.run(child))?.budget).toEqual({ tokens: 1000 });
    await fixture.engine.raise(id, { budget: { tokens: 1000 } }, "user");
    await fixture.engine.raise(child, raise, "user");
    expect((await fixture.registry.run(child))?.budget).toEqual({ tokens: 2000 });
    fixture.open();
    expect((await fixture.engine.result(child)).failure?.details).toMatchObject({ limit: 2000 });
  });

  test("that it does not have are refused, and so is a raise after its end", async () => {
    const fixture = createGatedFixture();
    const id = await fixture.spawn({ budget: { tokens: 1000 } });
    await fixture.waits(id);
    const usd = { budget: { usd: 1 } };
    await expect(fixture.engine.raise(id, usd, "user")).rejects.toMatchObject({
      code: "invalid-argument",
      message: `The run ${id} has no budget of its own in usd, so there is nothing to raise.`,
    });
    await expect(fixture.engine.raise(id, {}, "user")).rejects.toMatchObject({
      message: `Expected limits to raise for run ${id}; got none.`,
    });
    fixture.open();
    await fixture.engine.result(id);
    await expect(fixture.engine.raise(id, { timeoutSeconds: 1 }, "user")).rejects.toMatchObject({
      message: expect.stringContaining(
        `it has ended (failed). Retry a failed run with higher limits: cadre retry ${id}`,
      ),
    });
    await expect(fixture.engine.raise("r-none", usd, "user")).rejects.toMatchObject({
      code: "run-not-found",
    });
  });

  test("are raised by another process, which learns of a refusal from the journal", async () => {
    const fixture = createGatedFixture();
    const other = createEngineFixture({ path: fixture.path });
    const id = await fixture.spawn({ budget: { tokens: 1000 } });
    await fixture.waits(id);
    await other.engine.raise(id, { timeoutSeconds: 7, budget: { tokens: 500 } }, "user");
    await eventually(async () =>
      (await other.registry.run(id))?.addedSeconds === 7 ? true : undefined,
    );
    expect((await fixture.registry.run(id))?.budget).toEqual({ tokens: 1500 });
    expect(await fixture.registry.requestsTo(id)).toEqual([]);
    fixture.open();
    expect((await fixture.engine.result(id)).failure?.details).toMatchObject({ limit: 1500 });
  });

  test("that another process cannot raise are named in the journal of the run", async () => {
    const fixture = createGatedFixture(delegating);
    const other = createEngineFixture({ path: fixture.path });
    const id = await fixture.spawn({ task: "root", budget: { tokens: 1500 } });
    const child = await eventually(async () => (await fixture.registry.children(id))[0]?.id);
    await fixture.waits(child);
    await other.engine.raise(child, { budget: { tokens: 9000 } }, "user");
    await eventually(async () =>
      (await fixture.events(child)).some(({ type }) => type === "warning-raised")
        ? true
        : undefined,
    );
    // A request is deleted after it was answered.
    await eventually(async () =>
      (await fixture.registry.requestsTo(child)).length === 0 ? true : undefined,
    );
    expect((await fixture.registry.run(child))?.budget).toEqual({ tokens: 1000 });
    const warnings = (await fixture.events(child)).filter(({ type }) => type === "warning-raised");
    expect(warnings).toMatchObject([
      { message: expect.stringContaining("cannot be raised by 9000: only") },
    ]);
  });

  test("stay raised after a kill, each request once", async () => {
    const raise = { timeoutSeconds: 40, budget: { tokens: 1000 } };
    const raised: RunEventBody = { type: "limits-raised", id: "a", raise, by: "user" };
    const events: RunEventBody[] = [{ type: "run-started", owner: "1" }, raised];
    const spec = { budget: { tokens: 1000 } };
    const path = await leaveRuns([{ id: "r", spec, events }]);
    const fixture = createGatedFixture(busy, path);
    // The process was killed before it deleted the first request, and before it read the second one.
    await fixture.registry.request("r", "raise", { id: "a", raise, by: "user" });
    await fixture.registry.request("r", "raise", { id: "b", raise, by: "user" });
    await fixture.engine.resume("r");
    await eventually(async () =>
      (await fixture.registry.requestsTo("r")).length === 0 ? true : undefined,
    );
    expect(await fixture.registry.run("r")).toMatchObject({
      addedSeconds: 80,
      budget: { tokens: 3000 },
    });
    fixture.open();
    expect((await fixture.engine.result("r")).failure?.details).toMatchObject({ limit: 3000 });
  });
});

test("a retry has the limits that the run ended with, and more on request", async () => {
  const fixture = createGatedFixture();
  fixture.open();
  const id = await fixture.spawn({ timeoutSeconds: 50, budget: { tokens: 1000 } });
  await fixture.engine.result(id);
  const raise = { timeoutSeconds: 10, budget: { tokens: 500 } };
  const again = await fixture.engine.retry(id, raise);
  expect((await fixture.engine.result(again)).failure?.details).toMatchObject({ limit: 1500 });
  expect(await fixture.registry.spec(again)).toMatchObject({
    timeoutSeconds: 60,
    budget: { tokens: 1500 },
  });
  await expect(fixture.engine.retry(id, { budget: { usd: 1 } })).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining("no budget of its own in usd"),
  });
});
