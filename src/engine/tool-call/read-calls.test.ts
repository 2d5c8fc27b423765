import { expect, test } from "vitest";
import { createEngineFixture } from "../../../test/fixtures/engine-fixture.ts";
import { created } from "../../../test/fixtures/run-spec.ts";
import type { JsonObject } from "../../source/json.ts";
import { collectReads, type ReadCall } from "./read-calls.ts";

async function readsAfter(reply: JsonObject): Promise<ReadCall[] | undefined> {
  const { registry } = createEngineFixture();
  registry.append("r", created("r"));
  registry.append("r", { type: "run-started", owner: "1" });
  const step = { type: "step-finished", key: "model/1", kind: "model" } as const;
  registry.append("r", { ...step, value: reply, durationMs: 0 });
  await registry.flushed();
  return await collectReads(registry, "r", new Map());
}

test("a runner's answer depends on more than the reads it reports", async () => {
  const reply = { parts: [{ type: "text", text: "done" }], finish: "stop", warnings: [] };
  expect(await readsAfter(reply)).toEqual([]);
  expect(await readsAfter({ ...reply, stopReason: "end_turn" })).toBeUndefined();
});
