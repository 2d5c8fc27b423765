import { describe, expect, test } from "vitest";
import { childOf, createStartTool } from "../../../test/fixtures/child-run.ts";
import {
  createEngineFixture,
  type EngineGiven,
  type EngineFixture,
  eventually,
} from "../../../test/fixtures/engine-fixture.ts";
import { leaveRuns } from "../../../test/fixtures/left-run.ts";
import { finished } from "../../../test/fixtures/run-spec.ts";
import type { RunEventBody } from "../../run/event.ts";
import type { SpawnRequest } from "../engine.ts";

/** An engine whose runs fail until `works` is set. */
function createBrokenFixture(given: EngineGiven = {}): EngineFixture & { repair: () => void } {
  let isRepaired = false;
  const fixture = createEngineFixture({
    program({ task }) {
      if (!isRepaired) throw new Error("no luck");
      return `did ${task}`;
    },
    ...given,
  });
  return { ...fixture, repair: () => (isRepaired = true) };
}

describe("a run that failed", () => {
  test("is retried as a new run, with the same request", async () => {
    const fixture = createBrokenFixture();
    const { runId } = await fixture.run({ task: "a", label: "first", timeoutSeconds: 77 });
    fixture.repair();
    const again = await fixture.engine.retry(runId);
    expect(await fixture.engine.result(again)).toMatchObject({ text: "did a" });
    expect(await fixture.registry.spec(again)).toMatchObject({
      task: "a",
      label: "first",
      timeoutSeconds: 77,
      rootId: again,
      lineage: { kind: "retry", runId },
    });
    expect((await fixture.registry.run(runId))?.status).toBe("failed");
  });

  test("and a run that depends on it can both be retried, the second with the result of the first", async () => {
    const fixture = createBrokenFixture();
    const first = await fixture.run({ task: "a" });
    const includes = { includeDependencyResult: true, dependsOn: [first.runId] };
    const second = await fixture.run({
      task: "b",
      ...includes,
      context: { values: {}, references: { earlier: first.runId } },
    });
    expect(second.failure?.code).toBe("dependency-failed");
    fixture.repair();
    // Twice: the latest one counts.
    await fixture.engine.result(await fixture.engine.retry(first.runId));
    const [retried] = await fixture.registry.madeFrom(first.runId);
    const again = await fixture.engine.retry(second.runId);
    expect((await fixture.engine.result(again)).text).toContain("did a\n\n[Current task]:\nb");
    expect(await fixture.registry.spec(again)).toMatchObject({
      dependsOn: [retried?.id],
      context: { references: { earlier: retried?.id } },
    });
  });

  test("keeps failing as long as its dependency fails", async () => {
    const fixture = createBrokenFixture();
    const first = await fixture.run({ task: "a" });
    const second = await fixture.run({ task: "b", dependsOn: [first.runId] });
    fixture.repair();
    const again = await fixture.engine.result(await fixture.engine.retry(second.runId));
    expect(again.failure?.code).toBe("dependency-failed");
  });
});

test.each([
  ["succeeded", "it succeeded; start a new run from one of its steps with `cadre fork`"],
  ["is active", "it has not ended (waiting); cancel it first"],
])("a run that %s cannot be retried", async (what, why) => {
  const fixture = createEngineFixture();
  const { runId } = await fixture.run();
  const id = what === "succeeded" ? runId : await fixture.spawn({ id: "w", dependsOn: ["w"] });
  await expect(fixture.engine.retry(id)).rejects.toThrow(`cannot be retried: ${why}`);
});

/** A root that waits for its child `b`, while its child `a` has failed; later both succeed. */
async function createLiveFamily(
  given: Partial<SpawnRequest> = {},
  root: Partial<SpawnRequest> = {},
) {
  const gate = Promise.withResolvers<void>();
  let isRepaired = false;
  const received: string[] = [];
  const fixture: EngineFixture = createEngineFixture({
    tools: [
      createStartTool(
        () => fixture,
        (task) => (task === "a" ? given : {}),
      ),
    ],
    async script({ task, turn, last }) {
      if (task === "a" && !isRepaired) return { text: "", fault: { kind: "status", status: 400 } };
      if (task === "b") await gate.promise;
      if (task !== "root") return { text: `did ${task}` };
      received.push(last);
      const calls = ["a", "b"].map((value) => ({ tool: "Start", input: { value } }));
      return turn === 0 ? { calls } : { text: "done" };
    },
  });
  const rootId = await fixture.spawn({ task: "root", ...root });
  const failed = await eventually(async () => {
    const children = await fixture.registry.children(rootId);
    return children.find(({ status }) => status === "failed")?.id;
  });
  // Its parent has the result, and waits for the other child.
  await eventually(async () =>
    received.some((text) => text.includes("failed")) ? true : undefined,
  );
  return {
    ...fixture,
    root: rootId,
    failed,
    received,
    repair: () => (isRepaired = true),
    letGo: () => gate.resolve(),
  };
}

describe("a child that failed", () => {
  test("is retried in its family while its parent is active, which gets the result", async () => {
    const family = await createLiveFamily();
    family.repair();
    const again = await family.engine.retry(family.failed);
    expect(await family.registry.run(again)).toMatchObject({
      rootId: family.root,
      parentId: family.root,
      lineage: { kind: "retry", runId: family.failed },
    });
    await family.engine.result(again);
    family.letGo();
    await family.engine.result(family.root);
    expect(family.received.filter((text) => text.includes("did a"))).toHaveLength(1);
    expect(family.received.join("\n")).toContain(`(run ${again}) has ended: succeeded`);
  });

  test("is retried by the process that executes its family, whichever process requests it", async () => {
    const family = await createLiveFamily();
    family.repair();
    const other = createEngineFixture({ path: family.path });
    const again = await other.engine.retry(family.failed);
    expect(other.engine.isExecuting(again)).toBe(false);
    expect(await family.engine.result(again)).toMatchObject({ text: "did a" });
    expect((await family.registry.run(again))?.parentId).toBe(family.root);
    family.letGo();
    await family.engine.result(family.root);
    expect(family.received.join("\n")).toContain(`(run ${again}) has ended: succeeded`);
  });

  test("is not retried without a budget, and the caller is told", async () => {
    const family = await createLiveFamily(
      { budget: { tokens: 20_000 } },
      { budget: { tokens: 60_000 } },
    );
    const root = { id: family.root, rootId: family.root, depth: 0 };
    const other = { task: "b", background: true, budget: { tokens: 40_000 } };
    await family.spawn(childOf(root, other));
    const refusal = /A budget of 20000 tokens was requested, but only \d+ of the 60000/;
    await expect(family.engine.retry(family.failed)).rejects.toThrow(refusal);
    const elsewhere = createEngineFixture({ path: family.path });
    await expect(elsewhere.engine.retry(family.failed)).rejects.toThrow(
      `its parent ${family.root} could not start it. See \`cadre show\` of that run.`,
    );
    const events = await family.events(family.root);
    const warnings = events.filter((event) => event.type === "warning-raised");
    expect(warnings).toMatchObject([{ message: expect.stringMatching(refusal) as string }]);
    expect(await family.registry.requestsTo(family.root)).toEqual([]);
    family.letGo();
    await family.engine.result(family.root);
  });

  test("becomes a run without a parent if its parent has ended", async () => {
    const fixture = createBrokenFixture();
    await fixture.spawn({ id: "parent", dependsOn: ["parent"] });
    const child = await fixture.run(
      childOf({ id: "parent", rootId: "parent", depth: 0 }, { task: "a" }),
    );
    await fixture.engine.cancel("parent", "enough", "user");
    fixture.repair();
    const again = await fixture.engine.retry(child.runId);
    expect(await fixture.engine.result(again)).toMatchObject({ text: "did a" });
    expect(await fixture.registry.run(again)).toMatchObject({ rootId: again, depth: 0 });
  });

  test("does not wait for a process if none executes its family", async () => {
    const started: RunEventBody = { type: "run-started", owner: "1" };
    const failure = { code: "internal", message: "no luck" } as const;
    const below = { rootId: "r", parentId: "r", parentStep: "a", depth: 1 };
    const path = await leaveRuns([
      { id: "r", events: [started] },
      { id: "a", spec: below, events: [started, finished("a", { status: "failed", failure })] },
    ]);
    const fixture = createEngineFixture({ path });
    await expect(fixture.engine.retry("a")).rejects.toThrow(
      "its parent r is not executed by any process. Continue it with `cadre resume`.",
    );
  });
});
