import { expect, test } from "vitest";
import { createEngineFixture, typesOf } from "../../../test/fixtures/engine-fixture.ts";
import { leaveRuns } from "../../../test/fixtures/left-run.ts";
import { CadreError } from "../../errors.ts";
import type { AdmitRun } from "./recorded-run.ts";

const started = { type: "run-started", owner: "1" } as const;

/** Refuses the runs of these ids. */
function refuse(...ids: readonly string[]): AdmitRun {
  return async (recorded) => {
    if (!ids.includes(recorded.spec.id)) return recorded;
    throw new CadreError("not-trusted", `${recorded.spec.id} is not admitted`);
  };
}

test("a run that is not admitted stays unfinished, for another time or process", async () => {
  const path = await leaveRuns([{ id: "r", events: [started] }]);
  const refused = createEngineFixture({ path, admit: refuse("r") });
  const before = await refused.events("r");
  await expect(refused.engine.resume("r")).rejects.toThrow("r is not admitted");
  expect(await refused.events("r")).toEqual(before);
  expect(await refused.registry.abandoned()).toEqual(["r"]);
  const able = createEngineFixture({ path });
  await able.engine.resume("r");
  expect(await able.engine.result("r")).toMatchObject({ status: "succeeded", text: "done" });
});

test("one run that is not admitted leaves its whole family, and every dependent family, unfinished", async () => {
  const path = await leaveRuns([
    { id: "waiting", spec: { dependsOn: ["other"] } },
    { id: "other", events: [started] },
    { id: "child", spec: { rootId: "other", parentId: "other", parentStep: "tool/1/0" } },
  ]);
  const fixture = createEngineFixture({ path, admit: refuse("child") });
  for (const id of ["waiting", "other"]) {
    await expect(fixture.engine.resume(id)).rejects.toThrow("child is not admitted");
  }
  expect(typesOf(await fixture.events("waiting"))).toEqual(["run-created"]);
  expect(typesOf(await fixture.events("other"))).toEqual(["run-created", "run-started"]);
  expect((await fixture.registry.abandoned()).sort()).toEqual(["other", "waiting"]);
});

test("a run is executed with the extensions and rights it was admitted with", async () => {
  const path = await leaveRuns([{ id: "r", events: [started] }]);
  const fixture = createEngineFixture({
    path,
    script: ({ system }) => ({ text: `was told: ${system}` }),
    admit: async ({ spec, definition }) => ({
      spec,
      definition: { ...definition, systemPrompt: "You are admitted." },
    }),
  });
  await fixture.engine.resume("r");
  expect((await fixture.engine.result("r")).text).toContain("You are admitted.");
});

test("forks and retries are made only from admitted runs", async () => {
  const fixture = createEngineFixture({ admit: refuse("r"), script: () => ({ text: "done" }) });
  await fixture.run({ id: "r", rootId: "r" });
  await expect(fixture.engine.fork("r", "1")).rejects.toThrow("r is not admitted");
  expect(await fixture.registry.runs()).toHaveLength(1);
});

test("a journal whose first event is of another run is not executed", async () => {
  const path = await leaveRuns([{ id: "r", spec: { id: "another" }, events: [started] }]);
  const fixture = createEngineFixture({ path });
  await expect(fixture.engine.resume("r")).rejects.toThrow("has lost its beginning");
});
