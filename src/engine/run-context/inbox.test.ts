import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { created } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { openTestRegistry } from "../../../test/fixtures/registry/test-registry.ts";
import type { Message } from "../../run/message.ts";
import { createInbox } from "./inbox.ts";

test("records a result that a tool reads once, however often a kill makes the tool read it again", async () => {
  const registry = openTestRegistry({ path: join(temporaryFolder(), "cadre.db") });
  onTestFinished(() => registry.close());
  registry.append("p", created("p"));
  registry.append("p", { type: "run-started", owner: "1" });
  const collected = async (): Promise<(readonly string[])[]> => {
    await registry.flushed();
    const events = await registry.events("p");
    return events.flatMap((event) => (event.type === "results-collected" ? [event.runIds] : []));
  };
  const result = (id: string): Message => ({ id, kind: "result", from: id, text: "done" });

  const killed = createInbox(registry, "p");
  killed.arrive(result("a"));
  killed.expect("b");
  killed.collect(["a", "b"]);
  expect(await collected()).toEqual([["a", "b"]]);

  const resumed = createInbox(registry, "p");
  resumed.restore(await registry.events("p"));
  resumed.collect(["a", "b"]);
  expect(await collected()).toEqual([["a", "b"]]);
  resumed.arrive(result("c"));
  resumed.collect(["b", "c"]);
  expect(await collected()).toEqual([["a", "b"], ["c"]]);
  expect(resumed.undelivered()).toEqual([]);
  expect(resumed.expected()).toEqual([]);
});
