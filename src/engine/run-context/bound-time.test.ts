import { describe, expect, test } from "vitest";
import {
  createPlainDefinition,
  createEngineFixture,
  createTestTool,
  type EngineFixture,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock, type FakeClock } from "../../../test/fixtures/fake-clock.ts";
import { createSpec } from "../../../test/fixtures/run-spec.ts";
import type { RunSpec } from "../../run/run.ts";
import type { JsonObject } from "../../source/json.ts";

const hour = 3_600_000;

/** A run whose tool works until `finish` is called, and its start time. */
async function startWork(
  clock: FakeClock,
  spec: Pick<Partial<RunSpec>, "timeoutSeconds" | "budget">,
) {
  const begun = Promise.withResolvers<void>();
  const work = Promise.withResolvers<string>();
  const tool = createTestTool("Work", async (_, { signal }) => {
    begun.resolve();
    signal.addEventListener("abort", () => work.reject(signal.reason as Error));
    return await work.promise;
  });
  const fixture = createEngineFixture({
    clock,
    tools: [tool],
    limits: { stallSeconds: 10_000 },
    script: ({ turn }) =>
      turn === 0 ? { calls: [{ tool: "Work", input: {} }] } : { text: "done" },
  });
  const id = await fixture.spawn(spec);
  await begun.promise;
  return { fixture, id, finish: () => work.resolve("worked") };
}

describe.each([hour, -hour])("while the wall clock is changed by %d ms,", (jumpMs) => {
  test("a run continues and its duration is correct", async () => {
    const clock = createFakeClock();
    const { fixture, id, finish } = await startWork(clock, {
      timeoutSeconds: 60,
      budget: { wallSeconds: 60 },
    });
    clock.advance(30_000);
    clock.jump(jumpMs);
    clock.advance(20_000);
    finish();
    expect(await fixture.engine.result(id)).toMatchObject({
      status: "succeeded",
      durationMs: 50_000,
    });
    const done = (await fixture.events(id)).find(
      (event) => event.type === "step-finished" && event.kind === "tool",
    );
    expect(done).toMatchObject({ durationMs: 50_000 });
  });

  test("a run times out after its real running time", async () => {
    const clock = createFakeClock();
    const { fixture, id } = await startWork(clock, { timeoutSeconds: 60 });
    clock.jump(jumpMs);
    clock.advance(59_999);
    expect((await fixture.registry.run(id))?.status).toBe("running");
    clock.advance(1);
    expect(await fixture.engine.result(id)).toMatchObject({
      status: "timed-out",
      durationMs: 60_000,
    });
  });
});

describe.each([hour, -hour])("after a kill with a wall clock changed by %d ms", (jumpMs) => {
  /** A run that was active for 50 s when its process was killed, and continues now. */
  async function resume(clock: FakeClock, spec: Partial<RunSpec>): Promise<EngineFixture> {
    const before = createEngineFixture({ clock });
    const hash = before.registry.putContent(createPlainDefinition() as unknown as JsonObject);
    const given = { definition: hash, model: "scripted:test", ...spec };
    before.registry.append("r", { type: "run-created", spec: createSpec("r", given) });
    before.registry.append("r", { type: "run-started", owner: "1" });
    clock.advance(50_000);
    before.registry.append("r", { type: "warning-raised", message: "still there" });
    await before.registry.close();
    clock.jump(jumpMs);
    const asked = Promise.withResolvers<void>();
    const fixture = createEngineFixture({
      path: before.path,
      clock,
      script() {
        asked.resolve();
        return { fault: { kind: "hang" } };
      },
    });
    await fixture.engine.resume("r");
    await asked.promise;
    return fixture;
  }

  test.each([
    [{ timeoutSeconds: 60 }, "timed-out"],
    [{ budget: { wallSeconds: 60 } }, "failed"],
  ])("a run with %j has its remaining time", async (spec, status) => {
    const clock = createFakeClock();
    const fixture = await resume(clock, spec);
    clock.advance(9999);
    expect(await fixture.registry.run("r")).toMatchObject({ status: "running", spentMs: 50_000 });
    clock.advance(1);
    expect(await fixture.engine.result("r")).toMatchObject({ status, durationMs: 60_000 });
  });
});
