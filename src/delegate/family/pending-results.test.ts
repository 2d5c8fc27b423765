import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { openTestRegistry } from "../../../test/fixtures/registry/test-registry.ts";
import { findPending } from "./pending-results.ts";

test("a wait that is repeated after a crash returns the results it had collected, and no earlier ones", async () => {
  const registry = openTestRegistry({ path: join(temporaryFolder(), "cadre.db") });
  onTestFinished(() => registry.close());
  registry.append("p", created("p"));
  registry.append("p", { type: "run-started", owner: "1" });
  for (const id of ["told", "asked", "mine", "open", "front"]) {
    const given = { rootId: "p", parentId: "p", parentStep: id, depth: 1 };
    const background = id === "front" ? {} : { background: true };
    registry.append(id, created(id, { ...given, ...background }));
    if (id !== "open") registry.append(id, finished(id));
  }
  const message = { id: "told", kind: "result", from: "told", text: "x" } as const;
  registry.append("p", { type: "messages-delivered", step: "model/2", messages: [message] });
  registry.append("p", { type: "results-collected", runIds: ["asked"] });
  const step = { type: "step-started", title: "Wait", hasEffect: false } as const;
  registry.append("p", { ...step, key: "tool/2/0" });
  registry.append("p", { type: "results-collected", runIds: ["mine"] });
  await registry.flushed();
  const pendingAt = async (key: string): Promise<string[]> =>
    (await findPending(registry, "p", key)).map(({ id }) => id);
  expect(await pendingAt("tool/2/0")).toEqual(["mine", "open"]);
  expect(await pendingAt("tool/3/0")).toEqual(["open"]);
  expect(await findPending(registry, "open", "tool/1/0")).toEqual([]);
});
