import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  eventually,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import type { RetryPolicy } from "../../run/retry-policy.ts";

describe("a run", () => {
  test.each([
    ["ten minutes", {}, 600],
    ["limits.replySeconds", { replySeconds: 1000 }, 1000],
  ])(
    "ends as stalled when its model is silent for %s, and keeps its earlier text",
    async (_, limits, seconds) => {
      const clock = createFakeClock();
      const asked = Promise.withResolvers<void>();
      const fixture = createEngineFixture({
        clock,
        limits,
        tools: [createTestTool("Echo", (value) => value)],
        script({ turn }) {
          if (turn === 0) return { text: "first words", calls: [{ tool: "Echo", input: {} }] };
          asked.resolve();
          return { text: "never", fault: { kind: "hang" } };
        },
      });
      const id = await fixture.spawn({ timeoutSeconds: 10_000 });
      await asked.promise;
      clock.advance(seconds * 1000 - 1);
      expect((await fixture.registry.run(id))?.status).toBe("running");
      clock.advance(1);
      expect(await fixture.engine.result(id)).toMatchObject({
        status: "failed",
        text: "first words",
        failure: { code: "stalled" },
      });
    },
  );
});

describe("an attempt that stalls", () => {
  const retry: RetryPolicy = { maxRetries: 1, checks: [] };

  test("in a tool that ignores its abort is followed by another", async () => {
    const clock = createFakeClock();
    const begun = Promise.withResolvers<void>();
    const tool = createTestTool("Wait", () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    let asked = 0;
    const fixture = createEngineFixture({
      clock,
      tools: [tool],
      script: () =>
        (asked += 1) === 1 ? { calls: [{ tool: "Wait", input: {} }] } : { text: "the second" },
    });
    const id = await fixture.spawn({ retry });
    await begun.promise;
    clock.advance(120_000);
    clock.advance(5000);
    expect(await fixture.engine.result(id)).toMatchObject({
      status: "succeeded",
      text: "the second",
    });
    const failed = (await fixture.events(id)).find(({ type }) => type === "attempt-failed");
    expect(failed).toMatchObject({ failure: { code: "stalled" } });
  });

  test("in its model is followed by another, and the last one ends the run as stalled", async () => {
    const clock = createFakeClock();
    let asked = 0;
    const fixture = createEngineFixture({
      clock,
      script() {
        asked += 1;
        return { fault: { kind: "hang" } };
      },
    });
    const id = await fixture.spawn({ retry, timeoutSeconds: 10_000 });
    for (const attempt of [1, 2]) {
      await eventually(() => (asked === attempt ? true : undefined));
      clock.advance(600_000);
    }
    const result = await fixture.engine.result(id);
    expect(result).toMatchObject({ status: "failed", failure: { code: "stalled" } });
    // The input of the request counts as read.
    expect(result.usage.inputTokens).toBeGreaterThan(0);
  });
});
