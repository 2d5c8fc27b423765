import { expect, test } from "vitest";
import { createConversationFixture } from "../../../test/fixtures/delegation/conversation-fixture.ts";
import type { Update } from "../editor/editor.ts";
import type { Cadre, RunHandle } from "../../host.ts";
import { createUsageReport } from "./usage-report.ts";

async function report(cadre: Cadre, run: RunHandle): Promise<Update[]> {
  const usage = await createUsageReport(cadre, run);
  const updates: Update[] = [];
  for await (const part of run.stream({ descendants: true }))
    updates.push(...(await usage.take(part)));
  return updates;
}

test("the cost is that of the conversation with its sub-agents, turn after turn", async () => {
  const { project } = await createConversationFixture(({ system, turn }) =>
    system.includes("You are boss") && turn === 0
      ? [{ tool: "Agent", input: { type: "helper", prompt: "help" } }]
      : "done",
  );
  project.writeAgent("helper");
  const models = {
    prices: { "mock:mock": { input: 1, output: 1 } },
    contextTokens: { mock: 9000 },
  };
  const cadre = await project.open({ config: { models } });
  const first = await cadre.spawn({ agent: "boss", task: "go" });
  const updates = await report(cadre, first);
  expect(updates).toHaveLength(3);
  const second = await first.continue("on");
  updates.push(...(await report(cadre, second)));
  expect(updates).toMatchObject(
    updates.map(() => ({ type: "usage", size: 9000, cost: expect.any(Number) })),
  );
  const [conversation] = await cadre.conversations();
  const { cost } = updates.at(-1) as { cost: number };
  expect(cost).toBeCloseTo(conversation?.cost ?? 0, 9);
  expect(cost).toBeGreaterThan(0);
});

test("an unknown price makes the cost unknown", async () => {
  const { cadre } = await createConversationFixture();
  const [updates] = await report(cadre, await cadre.spawn({ agent: "boss", task: "go" }));
  expect(updates).toMatchObject({ type: "usage", cost: null });
});
