import { describe, expect, test } from "vitest";
import { createRunId } from "../../run/run-id.ts";
import { isTerminal } from "../../run/run.ts";
import { createEngineFixture } from "../../../test/fixtures/engine-fixture.ts";
import { created, finished } from "../../../test/fixtures/run-spec.ts";

describe("the result of a run that this process does not execute", () => {
  test("arrives when another process ends it", async () => {
    const { engine, registry } = createEngineFixture();
    registry.append("r", created("r"));
    const result = engine.result("r");
    registry.append("r", finished("r"));
    expect(await result).toMatchObject({ runId: "r", status: "succeeded" });
    expect(await engine.result("r")).toMatchObject({ runId: "r", status: "succeeded" });
  });

  test("can be awaited until the signal aborts", async () => {
    const { engine, registry } = createEngineFixture();
    registry.append("r", created("r"));
    const leaving = new AbortController();
    const result = engine.result("r", leaving.signal);
    leaving.abort(new Error("enough"));
    await expect(result).rejects.toThrow("enough");
  });

  test("is refused for a run that is not in the registry", async () => {
    const { engine } = createEngineFixture();
    await expect(engine.result("nobody")).rejects.toMatchObject({ code: "run-not-found" });
  });
});

test("the result of a run of this process can be awaited until the signal aborts", async () => {
  const gate = Promise.withResolvers<void>();
  const { engine, spawn } = createEngineFixture({
    async program() {
      await gate.promise;
      return "done";
    },
  });
  const id = await spawn({ task: "wait" });
  const leaving = new AbortController();
  const result = engine.result(id, leaving.signal);
  leaving.abort(new Error("enough"));
  await expect(result).rejects.toThrow("enough");
  gate.resolve();
  expect(await engine.result(id)).toMatchObject({ status: "succeeded" });
});

test("a run that is cancelled at the moment at which it is created ends once", async () => {
  const fixture = createEngineFixture();
  const id = createRunId(Date.now());
  const cancelling = fixture.engine.cancel(id, "not needed", "the test");
  await fixture.spawn({ id, rootId: id });
  await cancelling;
  expect(isTerminal((await fixture.engine.result(id)).status)).toBe(true);
  const ends = (await fixture.events(id)).filter(({ type }) => type === "run-finished");
  expect(ends).toHaveLength(1);
});
