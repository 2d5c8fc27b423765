import { expect, test } from "vitest";
import { createEnginePlace } from "../../test/fixtures/engine-place.ts";
import { leaveRuns } from "../../test/fixtures/left-run.ts";
import { CadreError } from "../errors.ts";

test("a run that cannot go on here is left as it is, for another time or process", async () => {
  const events = [{ type: "run-started", owner: "1" }] as const;
  const extensions = [{ name: "hub", hash: "h", type: "stdio" }] as const;
  const path = await leaveRuns([{ id: "r", spec: { extensions }, events }]);
  const refused = createEnginePlace({
    path,
    async checkResumable(spec) {
      throw new CadreError("tool-unavailable", `no key for ${spec.extensions?.[0]?.name}`);
    },
  });
  await expect(refused.engine.resume("r")).rejects.toThrow("no key for hub");
  expect(await refused.registry.run("r")).toMatchObject({ status: "running", result: null });
  const able = createEnginePlace({ path, checkResumable: async () => undefined });
  await able.engine.resume("r");
  expect(await able.engine.result("r")).toMatchObject({ status: "succeeded", text: "done" });
});
