import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  type EngineFixture,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock, type FakeClock } from "../../../test/fixtures/fake-clock.ts";
import type { Script } from "../../model/script/scripted-model.ts";
import type { RetryPolicy } from "../../run/retry-policy.ts";
import type { RunResult } from "../../run/result.ts";

const outputSchema = { type: "object", required: ["title"] };
const never: RetryPolicy = { maxRetries: 3, checks: [{ type: "shell", command: "exit 1" }] };
const usedBy = ({ usage }: RunResult): number => usage.inputTokens + usage.outputTokens;

async function attemptsOf(fixture: EngineFixture, { runId }: RunResult): Promise<number> {
  const types = typesOf(await fixture.events(runId));
  return types.filter((type) => type === "attempt-failed").length + 1;
}

/** A script that takes 20 s per reply and then answers `words`. */
function slow(clock: FakeClock, words: string): Script {
  return () => {
    clock.advance(20_000);
    return { text: words };
  };
}

describe("over the corrections of an output", () => {
  test("tokens are counted together", async () => {
    const fixture = createEngineFixture({ script: () => ({ text: "not even JSON" }) });
    const unbounded = await fixture.run({ outputSchema });
    expect(unbounded).toMatchObject({ turns: 3, failure: { code: "output-invalid" } });
    const bounded = await fixture.run({ outputSchema, budget: { tokens: usedBy(unbounded) - 1 } });
    expect(bounded).toMatchObject({ status: "failed", failure: { code: "budget-exceeded" } });
    expect(bounded.turns).toBeGreaterThan(0);
    expect(bounded.turns).toBeLessThan(3);
    expect(usedBy(bounded)).toBeLessThan(usedBy(unbounded));
  });

  test("the time of the run continues", async () => {
    const clock = createFakeClock();
    const fixture = createEngineFixture({ clock, script: slow(clock, "not even JSON") });
    const result = await fixture.run({ outputSchema, timeoutSeconds: 50 });
    expect(result).toMatchObject({ status: "timed-out", turns: 2, text: "not even JSON" });
  });
});

describe("over attempts with checks", () => {
  test("tokens are counted together, and a run over budget is not retried", async () => {
    const fixture = createEngineFixture();
    const unbounded = await fixture.run({ retry: never });
    expect(unbounded).toMatchObject({ turns: 4, failure: { code: "output-invalid" } });
    const budget = { tokens: usedBy(unbounded) - 1 };
    const bounded = await fixture.run({ retry: never, budget });
    expect(bounded).toMatchObject({ status: "failed", failure: { code: "budget-exceeded" } });
    expect(usedBy(bounded)).toBeLessThan(usedBy(unbounded));
    expect(bounded.turns).toBeGreaterThan(0);
    expect(await attemptsOf(fixture, bounded)).toBe(bounded.turns + 1);
  });

  test("calls of tools are counted together", async () => {
    let calls = 0;
    const fixture = createEngineFixture({
      tools: [createTestTool("Count", () => `${(calls += 1)}`)],
      script: ({ turn }) =>
        turn === 0 ? { calls: [{ tool: "Count", input: {} }] } : { text: "counted" },
    });
    const result = await fixture.run({ retry: never, budget: { toolCalls: 2 } });
    expect(result.failure).toMatchObject({
      code: "budget-exceeded",
      details: { resource: "toolCalls", used: 2 },
    });
    expect(calls).toBe(2);
    expect(await attemptsOf(fixture, result)).toBe(3);
  });

  test("the time of the run and of the budget continues", async () => {
    for (const [bound, status] of [
      [{ timeoutSeconds: 50 }, "timed-out"],
      [{ budget: { wallSeconds: 50 } }, "failed"],
    ] as const) {
      const clock = createFakeClock();
      const fixture = createEngineFixture({ clock, script: slow(clock, "done") });
      const result = await fixture.run({ retry: never, ...bound });
      expect(result).toMatchObject({ status, turns: 2 });
      expect(await attemptsOf(fixture, result)).toBe(3);
    }
  });
});
