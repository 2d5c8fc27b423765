import { describe, expect, test } from "vitest";
import { createStartTool } from "../../../test/fixtures/child-run.ts";
import {
  createPlainDefinition,
  createEngineFixture,
  createTestTool,
  type EngineFixture,
  eventually,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { noUsage } from "../../run/usage.ts";
import type { RunResult } from "../../run/result.ts";
import type { SpawnRequest } from "../engine.ts";

/** An engine with `files`, whose runs make the calls of their task, such as `Look a; Write b`, and then answer. */
function createCachedFixture() {
  const files = new Map([["a", "alpha"]]);
  const asked: string[] = [];
  const fixture: EngineFixture = createEngineFixture({
    tools: [
      createTestTool("Look", (name) => files.get(name) ?? "nothing", { access: "read" }),
      createTestTool("Write", () => "written", { access: "edit" }),
      createTestTool("Think", () => "thought", { access: "none" }),
      createStartTool(
        () => fixture,
        () => ({ background: false }),
      ),
    ],
    script({ task, turn, text }) {
      asked.push(task);
      const calls = [...task.matchAll(/(Look|Write|Think|Start) (\w+)/g)].map(
        ([, tool = "", value = ""]) => ({ tool, input: { value } }),
      );
      return turn === 0 && calls.length > 0 ? { calls } : { text: `said of ${text}` };
    },
  });
  /** Reports whether the second of two runs got the result of the first. */
  const isReused = async (
    first: Partial<SpawnRequest>,
    second: Partial<SpawnRequest> = {},
    between: (first: RunResult) => unknown = () => undefined,
  ): Promise<boolean> => {
    const before = await fixture.run({ cache: true, ...first });
    await between(before);
    const { runId } = await fixture.run({ cache: true, ...first, ...second });
    return (await fixture.registry.run(runId))?.cachedFrom === before.runId;
  };
  return { ...fixture, files, asked, isReused };
}

describe("a run with a cached result", () => {
  test("gets the result at no cost, and the journal names the earlier run", async () => {
    const fixture = createCachedFixture();
    const first = await fixture.run({ cache: true, task: "Look a" });
    const count = fixture.asked.length;
    const second = await fixture.run({ cache: true, task: "Look a" });
    expect(second).toMatchObject({ status: "succeeded", text: first.text, turns: 0, cost: 0 });
    expect(second.usage).toEqual(noUsage);
    expect(fixture.asked).toHaveLength(count);
    expect(typesOf(await fixture.events(second.runId))).toEqual([
      "run-created",
      "run-started",
      "result-reused",
      "run-finished",
    ]);
    expect((await fixture.registry.run(second.runId))?.cachedFrom).toBe(first.runId);
    expect(await fixture.registry.cache.list()).toMatchObject([{ runId: first.runId, hits: 1 }]);
  });

  const other = createPlainDefinition({ systemPrompt: "You do it otherwise." });
  const plan = [{ mode: "plan" as const, rules: { allow: [], ask: [], deny: [] } }];
  test.each<[string, Partial<SpawnRequest>]>([
    ["another definition", { definition: other }],
    ["another model", { model: "scripted:other" }],
    ["another temperature", { temperature: 1 }],
    ["another task", { task: "Look b" }],
    ["other rights", { policies: plan }],
    ["other tools of its parent", { parentTools: ["Look"] }],
    ["a shared context", { context: { values: { tone: "kind" }, references: {} } }],
    ["a summary", { summary: true }],
    ["the cache turned off", { cache: false }],
  ])("is not answered from the cache with %s", async (_, second) => {
    expect(await createCachedFixture().isReused({ task: "Look a" }, second)).toBe(false);
  });

  test("is executed when files of the earlier run changed, and answered from the cache when they are restored", async () => {
    const fixture = createCachedFixture();
    const change = (): unknown => fixture.files.set("a", "changed");
    expect(await fixture.isReused({ task: "Look a" }, {}, change)).toBe(false);
    fixture.files.set("a", "alpha");
    const { runId } = await fixture.run({ cache: true, task: "Look a" });
    expect((await fixture.registry.run(runId))?.cachedFrom).toBeDefined();
  });

  test("is executed when the results of its dependencies differ, whichever runs they are of", async () => {
    const fixture = createCachedFixture();
    const depend = async (task: string): Promise<Partial<SpawnRequest>> => {
      const { runId } = await fixture.run({ task });
      return { task: "sum up", dependsOn: [runId], includeDependencyResult: true };
    };
    const first = await depend("one");
    expect(await fixture.isReused(first, await depend("one"))).toBe(true);
    expect(await fixture.isReused(first, await depend("two"))).toBe(false);
  });

  test("is executed when the shared context of an ancestor changed", async () => {
    const fixture = createCachedFixture();
    const share = async (tone: string): Promise<Partial<SpawnRequest>> => {
      const context = { values: { tone }, references: {} };
      const parent = await fixture.spawn({ context, dependsOn: [gate] });
      const below = { parentId: parent, rootId: parent, depth: 1, parentStep: tone };
      return { ...below, task: "Look a", context: { values: {}, references: {} } };
    };
    const gate = await fixture.spawn({ id: "gate", dependsOn: ["gate"] });
    expect(await fixture.isReused(await share("kind"), await share("harsh"))).toBe(false);
    const again = { ...(await share("kind")), parentStep: "again" };
    const { runId } = await fixture.run({ ...again, cache: true });
    expect((await fixture.registry.run(runId))?.cachedFrom).toBeDefined();
  });
});

describe("the result of a run", () => {
  test.each([
    ["thought and looked", "Think x Look a", true],
    ["wrote", "Write b", false],
    ["had a child that only answered", "Start child", true],
  ])("that %s is cached: %s -> %s", async (_, task, isKept) => {
    expect(await createCachedFixture().isReused({ task })).toBe(isKept);
  });

  test("whose child wrote is not cached", async () => {
    const fixture: EngineFixture = createEngineFixture({
      tools: [
        createTestTool("Write", () => "written", { access: "edit" }),
        createStartTool(() => fixture),
      ],
      script({ task, turn }) {
        if (turn > 0) return { text: "done" };
        return task === "child"
          ? { calls: [{ tool: "Write", input: {} }] }
          : { calls: [{ tool: "Start", input: { value: "child" } }] };
      },
    });
    await fixture.run({ cache: true });
    expect(await fixture.registry.cache.list()).toEqual([]);
  });

  test("that failed or received a message is not cached", async () => {
    const answer = Promise.withResolvers<void>();
    const fixture = createEngineFixture({
      async script({ task, turn }) {
        if (task === "fail") return { text: "", fault: { kind: "status", status: 400 } };
        if (turn === 0) await answer.promise;
        return { text: "done" };
      },
    });
    await fixture.run({ cache: true, task: "fail" });
    const id = await fixture.spawn({ cache: true });
    await eventually(async () => ((await fixture.registry.run(id))?.startedAt ? true : undefined));
    await fixture.engine.send(id, "look at auth first", "user");
    answer.resolve();
    await fixture.engine.result(id);
    expect(await fixture.registry.cache.list()).toEqual([]);
  });

  test("whose write was refused is cached", async () => {
    const plan = [{ mode: "plan" as const, rules: { allow: [], ask: [], deny: [] } }];
    const fixture = createCachedFixture();
    expect(await fixture.isReused({ task: "Write b", policies: plan })).toBe(true);
  });

  test("of a fork is not cached, because its first steps are in another journal", async () => {
    const fixture = createCachedFixture();
    const { runId } = await fixture.run({ cache: true, task: "Write b" });
    await fixture.engine.result(await fixture.engine.fork(runId, "tool/1/0"));
    expect(await fixture.registry.cache.list()).toEqual([]);
  });

  test("is deleted with its run, and with the whole cache", async () => {
    const fixture = createCachedFixture();
    await fixture.run({ cache: true, task: "Look a" });
    await fixture.run({ cache: true, task: "Look b" });
    expect(await fixture.registry.cache.clear()).toBe(2);
    expect(
      await fixture.isReused({ task: "Look a" }, {}, () => fixture.registry.prune(Infinity)),
    ).toBe(false);
    expect(await fixture.registry.cache.list()).toHaveLength(1);
  });
});

test("a run that was answered from the cache when its process was killed ends with that result", async () => {
  const fixture = createCachedFixture();
  const { runId, text } = await fixture.run({ cache: true, task: "Look a" });
  const spec = await fixture.registry.spec(runId);
  if (spec === undefined) throw new Error("it is not there");
  fixture.registry.append("left", {
    type: "run-created",
    spec: { ...spec, id: "left", rootId: "left" },
  });
  fixture.registry.append("left", { type: "run-started", owner: "1" });
  fixture.registry.append("left", { type: "result-reused", from: runId });
  await fixture.registry.flushed();
  fixture.files.set("a", "changed");
  await fixture.engine.resume("left");
  expect(await fixture.engine.result("left")).toMatchObject({
    status: "succeeded",
    text,
    turns: 0,
  });
});
