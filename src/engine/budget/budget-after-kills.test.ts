import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CountingBehaviour,
  type CountingProvider,
  startCountingProvider,
} from "../../../test/fixtures/model/counting-provider.ts";
import {
  createEngineFixture,
  createTestTool,
  type EngineFixture,
} from "../../../test/fixtures/engine-fixture.ts";
import { samples } from "../../../test/is-long.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { RunResult } from "../../run/result.ts";
import { onFiles } from "../../../test/fixtures/postgres/on-files.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The journal that a process killed now would leave. */
function leaveAsKilled(path: string): string {
  const copy = join(temporaryFolder(), "cadre.db");
  for (const end of ["", "-wal"]) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  const database = new DatabaseSync(copy);
  database.exec("DELETE FROM owners");
  database.close();
  return copy;
}

function openFixture(provider: CountingProvider, path?: string): EngineFixture {
  return createEngineFixture({
    ...omitUndefined({ path }),
    resolveModel: async () => provider.model,
    tools: [createTestTool("Note", () => "记下了，请继续。".repeat(20), { access: "read" })],
  });
}

interface Story extends CountingBehaviour {
  budget: number;
  /** The number of requests of each process; it is killed during the last one. */
  lives: readonly number[];
}

/** Executes an endless run over several killed processes; returns its end. */
async function live(provider: CountingProvider, { budget, lives }: Story): Promise<RunResult> {
  let fixture = openFixture(provider);
  const started = await fixture.spawn({
    id: "r",
    rootId: "r",
    maxTurns: 1000,
    budget: { tokens: budget },
  });
  expect(started).toBe("r");
  for (const requests of lives) {
    const inFlight = provider.hold(provider.inputs.length + requests);
    const ended = fixture.engine.result("r");
    if ((await Promise.race([inFlight, ended])) !== undefined) break;
    const path = leaveAsKilled(fixture.path);
    await fixture.engine.close();
    fixture = openFixture(provider, path);
    await fixture.engine.resume("r");
  }
  return await fixture.engine.result("r");
}

/** The largest possible underestimate of a request's input here: everything except earlier counts of the provider. */
const inputError = 600;

describe("a budget of tokens", () => {
  onFiles(
    "holds for answers in Chinese, over any number of kills",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            budget: fc.integer({ min: 5000, max: 60_000 }),
            lives: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 }),
            answers: fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 5 }),
            tokensPerCharacter: fc.constantFrom(0.7, 1.2, 1.7),
          }),
          async (story) => {
            const provider = await startCountingProvider(story);
            const result = await live(provider, story);
            await provider.close();
            expect(result.failure).toMatchObject({ code: "budget-exceeded" });
            const interrupted = story.lives.length + 1;
            expect(provider.tokens).toBeLessThanOrEqual(story.budget + interrupted * inputError);
          },
        ),
        { numRuns: samples(25) },
      );
    },
    60_000,
  );

  onFiles("counts a request that was active at a kill with its full reservation", async () => {
    const story = { budget: 60_000, lives: [1, 1], answers: [16_000], tokensPerCharacter: 1 };
    const provider = await startCountingProvider(story);
    const result = await live(provider, story);
    await provider.close();
    // Each of three processes reserved a full answer once; only the third one got the count.
    expect(provider.inputs).toHaveLength(3);
    expect(result.usage.outputTokens).toBeLessThanOrEqual(16_384);
    expect(provider.tokens).toBeGreaterThan(45_000);
    expect(provider.tokens).toBeLessThanOrEqual(60_000);
    expect(result.warnings.join()).toMatch(/was active when its process was killed/);
  });

  test.each([
    ["ignores the output limit", { isBoundless: true }],
    ["reports no usage", { isSilent: true }],
  ])("holds, except for the cut reply, with a provider that %s", async (_, manner) => {
    const story = {
      budget: 30_000,
      lives: [],
      answers: [2000, 1_000_000],
      tokensPerCharacter: 1.2,
      ...manner,
    };
    const provider = await startCountingProvider(story);
    const result = await live(provider, story);
    await provider.close();
    expect(result.failure).toMatchObject({ code: "budget-exceeded" });
    // Half an answer more.
    expect(provider.tokens).toBeLessThanOrEqual(story.budget + 16_384 / 2 + inputError);
    expect(result.usage.inputTokens + result.usage.outputTokens).toBeGreaterThan(
      provider.tokens * 0.8,
    );
  });
});

test("the input of a request is estimated from the provider's count of the previous request", async () => {
  const story = { budget: 40_000, lives: [], answers: [200], tokensPerCharacter: 1.7 };
  const provider = await startCountingProvider(story);
  const fixture = openFixture(provider);
  const id = await fixture.spawn({ maxTurns: 8, budget: { tokens: story.budget } });
  await fixture.engine.result(id);
  await provider.close();
  const reserved = (await fixture.events(id)).flatMap((event) =>
    event.type === "request-started" ? [event.reserved.tokens - 16_384] : [],
  );
  const errors = provider.inputs.map((input, index) => input - (reserved[index] ?? 0));
  expect(provider.inputs.at(-1)).toBeGreaterThan(3000);
  // The error is in the estimate of the part that a single turn added.
  for (const error of errors.slice(1)) expect(Math.abs(error)).toBeLessThan(200);
});
