import { describe, expect, test } from "vitest";
import { childOf } from "../../../test/fixtures/child-run.ts";
import {
  createEngineFixture,
  createTestTool,
  type EngineFixture,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";

/** An engine whose runs think twice and then answer with the whole conversation; `done` has the executed calls. */
function createThinkingFixture(): EngineFixture & { done: string[]; asked: number[] } {
  const done: string[] = [];
  const asked: number[] = [];
  const fixture = createEngineFixture({
    tools: [
      createTestTool("Do", (value) => {
        done.push(value);
        return `did ${value}`;
      }),
    ],
    script({ turn, text }) {
      asked.push(turn);
      const calls = [`${turn}a`, `${turn}b`].map((value) => ({ tool: "Do", input: { value } }));
      return turn < 2 ? { calls } : { text };
    },
  });
  return { ...fixture, done, asked };
}

async function fork(fixture: EngineFixture, runId: string, at: string, task?: string) {
  return await fixture.engine.result(await fixture.engine.fork(runId, at, task));
}

describe("a fork", () => {
  test("begins with the steps up to the given one, without their cost, and continues from there", async () => {
    const fixture = createThinkingFixture();
    const first = await fixture.run();
    fixture.done.length = 0;
    fixture.asked.length = 0;
    const result = await fork(fixture, first.runId, "2");
    expect(result).toMatchObject({ status: "succeeded", text: first.text, turns: 1 });
    // The calls of its first reply are its own.
    expect(fixture.done).toEqual(["1a", "1b"]);
    expect(fixture.asked).toEqual([2]);
    expect(result.usage.outputTokens).toBeLessThan(first.usage.outputTokens);
    expect(await fixture.registry.run(result.runId)).toMatchObject({
      lineage: { kind: "fork", runId: first.runId, step: "model/2" },
      parentId: null,
    });
    expect(await fixture.registry.madeFrom(first.runId)).toMatchObject([{ id: result.runId }]);
    expect(await fixture.events(first.runId)).toHaveLength(
      (await fixture.registry.run(first.runId))?.lastSeq ?? 0,
    );
  });

  test.each([
    ["a model step", "model/1", ["0a", "0b", "1a", "1b"]],
    ["a call", "tool/1/0", ["0b", "1a", "1b"]],
    ["a note", "instructions", ["0a", "0b", "1a", "1b"]],
  ])("can be made at %s", async (_, at, done) => {
    const fixture = createThinkingFixture();
    const { runId } = await fixture.run();
    fixture.done.length = 0;
    expect(await fork(fixture, runId, at)).toMatchObject({ status: "succeeded" });
    expect(fixture.done).toEqual(done);
  });

  test("receives its own task before its next model step", async () => {
    const fixture = createThinkingFixture();
    const { runId } = await fixture.run();
    const { text } = await fork(fixture, runId, "tool/1/1", "now in French");
    expect(text).toContain("did 0b\n[Message from user]:\nnow in French\n");
  });

  test("of a program does not repeat its recorded steps", async () => {
    const done: string[] = [];
    const fixture = createEngineFixture({
      async program(_, context) {
        for (const key of ["a", "b", "c"]) {
          await context.step(key, () => {
            done.push(key);
            return key;
          });
        }
        return "done";
      },
    });
    const { runId } = await fixture.run();
    done.length = 0;
    await fork(fixture, runId, "program/b");
    expect(done).toEqual(["c"]);
  });

  test("of a child is a separate run, with the child's shared context and rights", async () => {
    const fixture: EngineFixture = createEngineFixture({
      script: ({ system }) => ({ text: system }),
    });
    const gate = { dependsOn: ["parent"] };
    const context = { values: { tone: "kind", area: "all" }, references: {} };
    await fixture.spawn({ id: "parent", context, ...gate });
    const parent = { id: "parent", rootId: "parent", depth: 0 };
    const own = { context: { values: { area: "auth" }, references: {} }, parentTools: ["Read"] };
    const child = await fixture.run(childOf(parent, { ...own, background: true, sequence: "s" }));
    const forked = await fork(fixture, child.runId, "instructions");
    const spec = await fixture.registry.spec(forked.runId);
    expect(spec).toMatchObject({
      rootId: forked.runId,
      parentId: null,
      depth: 0,
      parentTools: ["Read"],
      context: { values: { tone: "kind", area: "auth" } },
    });
    expect(spec).not.toHaveProperty("sequence");
    expect(spec).not.toHaveProperty("background");
    expect(forked.text).toBe(child.text);
  });

  test("of a run with dependencies gets the same results of those", async () => {
    const fixture = createEngineFixture({ script: ({ task }) => ({ text: `did ${task}` }) });
    const { runId } = await fixture.run({ task: "research" });
    const built = await fixture.run({
      task: "write",
      dependsOn: [runId],
      includeDependencyResult: true,
    });
    const forked = await fork(fixture, built.runId, "instructions");
    expect(forked.text).toBe(built.text);
    expect(forked.text).toContain("did research");
  });

  test("of a run with several attempts continues with the attempt of its step", async () => {
    const asked: string[] = [];
    const fixture = createEngineFixture({
      script() {
        asked.push("asked");
        if (asked.length === 1) return { text: "", fault: { kind: "status", status: 400 } };
        return { text: `answer ${asked.length}` };
      },
    });
    const retry = { maxRetries: 1, checks: [] };
    const { runId } = await fixture.run({ retry });
    const forked = await fork(fixture, runId, "try/2/instructions");
    expect(forked).toMatchObject({ status: "succeeded", text: "answer 3" });
    expect(typesOf(await fixture.events(forked.runId))).toContain("attempt-failed");
    expect(await fixture.registry.run(forked.runId)).toMatchObject({ retries: 1 });
  });

  test("needs a task where nothing is left to do, unless it is to be only a copy", async () => {
    const fixture = createThinkingFixture();
    const { runId, text } = await fixture.run();
    for (const at of [undefined, "3", "model/3"]) {
      await expect(fixture.engine.fork(runId, at)).rejects.toMatchObject({
        code: "invalid-argument",
        message: expect.stringMatching(/succeeded with its step model\/3.*a task, or an earlier/),
      });
    }
    expect(await fork(fixture, runId, "end")).toMatchObject({
      status: "succeeded",
      text,
      turns: 0,
    });
  });

  test("of a failed run continues after its last step", async () => {
    const replies = [{ text: "", fault: { kind: "status" as const, status: 400 } }];
    const fixture = createEngineFixture({ script: () => replies.pop() ?? { text: "done" } });
    const { runId, status } = await fixture.run();
    expect(status).toBe("failed");
    const forked = await fixture.engine.result(await fixture.engine.fork(runId));
    expect(forked).toMatchObject({ status: "succeeded", text: "done", turns: 1 });
  });

  test("cannot be made at a missing step, and the error lists the steps", async () => {
    const fixture = createThinkingFixture();
    const { runId } = await fixture.run();
    await expect(fixture.engine.fork(runId, "9")).rejects.toThrow(
      `The run ${runId} has no step 9. It has: instructions, model/1, tool/1/0, tool/1/1, model/2`,
    );
    await expect(fixture.engine.fork("nobody", "1")).rejects.toMatchObject({
      code: "run-not-found",
    });
  });
});
