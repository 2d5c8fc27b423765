import { describe, expect, test } from "vitest";
import {
  createPlainDefinition,
  createEngineFixture,
  createTestTool,
  eventually,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import type { Script } from "../../model/script/scripted-model.ts";

const call = (tool: string, value = "") => ({ tool, input: { value } });
/** Replies in order; the last one repeats. */
const replies =
  (...list: ReturnType<Script>[]): Script =>
  ({ turn }) =>
    list[Math.min(turn, list.length - 1)] ?? null;
const never = new Promise<string>(() => undefined);

describe("a run", () => {
  test("asks the model, executes its calls, and ends with its answer", async () => {
    const outputs: string[] = [];
    const tool = createTestTool("Echo", (value) => `echo ${value}`);
    const fixture = createEngineFixture({
      tools: [tool],
      script({ turn, last }) {
        outputs.push(last);
        return turn === 0
          ? { calls: [call("Echo", "a"), call("echo", "b")] }
          : { text: "It is done." };
      },
    });
    const result = await fixture.run({ task: "do it" });
    expect(result).toMatchObject({ status: "succeeded", text: "It is done.", turns: 2 });
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    expect(outputs).toEqual(["do it", "echo a\necho b"]);
    const types = typesOf(await fixture.events(result.runId));
    expect(types.filter((type) => type === "run-finished")).toHaveLength(1);
    expect(types.at(-1)).toBe("run-finished");
  });

  test("continues an answer that was cut at the output limit", async () => {
    const script = replies({ text: "one ", finish: "length" }, { text: "two" });
    expect(await createEngineFixture({ script }).run()).toMatchObject({
      text: "one two",
      turns: 2,
    });
  });

  test("fails when the answer is cut repeatedly, and keeps the text so far", async () => {
    const script = replies({ text: "more ", finish: "length" });
    const result = await createEngineFixture({ script }).run();
    expect(result).toMatchObject({ status: "failed", failure: { code: "model-error" }, turns: 4 });
    expect(result.text).toBe("more more more more ");
  });

  test("fails when the provider's filter stops the answer", async () => {
    const script = replies({ text: "I must not", finish: "content-filter" });
    const result = await createEngineFixture({ script }).run();
    expect(result).toMatchObject({ status: "failed", failure: { code: "model-error" } });
    expect(result.failure?.message).toContain("content filter");
  });

  test("fails with the model's error when the provider refuses", async () => {
    const script = replies({ text: "no", fault: { kind: "status", status: 400 } });
    expect(await createEngineFixture({ script }).run()).toMatchObject({
      status: "failed",
      failure: { code: "model-error" },
    });
  });

  test("retries an overloaded provider, and records that", async () => {
    const fault = { kind: "status", status: 529, retryAfterSeconds: 0, times: 1 } as const;
    const fixture = createEngineFixture({
      script: replies({ text: "done", fault }),
      limits: { modelRetries: 2 },
    });
    const result = await fixture.run();
    expect(result).toMatchObject({ status: "succeeded", turns: 1 });
    expect(typesOf(await fixture.events(result.runId))).toContain("model-retried");
  });

  test("tells the model about an unknown tool and about invalid arguments", async () => {
    const received: string[] = [];
    const tool = createTestTool("Echo", (value) => value);
    const fixture = createEngineFixture({
      tools: [tool],
      script({ turn, last }) {
        received.push(last);
        const wrong = [call("Nothing"), { tool: "Echo", input: { value: 1 } }];
        return turn === 0 ? { calls: wrong } : { text: "done" };
      },
    });
    expect(await fixture.run()).toMatchObject({ status: "succeeded" });
    expect(received[1]).toContain("There is no tool Nothing. Available: Echo.");
    expect(received[1]).toContain("The arguments of Echo are not valid");
  });

  test("tells the model about a tool that throws", async () => {
    const received: string[] = [];
    const tool = createTestTool("Break", () => {
      throw new Error("the disk is on fire");
    });
    const fixture = createEngineFixture({
      tools: [tool],
      script({ turn, last }) {
        received.push(last);
        return turn === 0 ? { calls: [call("Break", "x")] } : { text: "done" };
      },
    });
    expect(await fixture.run()).toMatchObject({ status: "succeeded" });
    expect(received[1]).toContain("Break x failed: the disk is on fire");
  });

  test("fails at its last turn, and says what to do", async () => {
    const fixture = createEngineFixture({
      tools: [createTestTool("Echo", (value) => value)],
      script: replies({ text: "still at it", calls: [call("Echo")] }),
    });
    const result = await fixture.run({ maxTurns: 3 });
    expect(result).toMatchObject({ status: "failed", turns: 3, text: "still at it" });
    expect(result.failure).toMatchObject({ code: "limit-exceeded" });
    expect(result.failure?.message).toContain("max_turns");
  });

  test("warns about tools that its definition names and that do not exist", async () => {
    const fixture = createEngineFixture({ tools: [createTestTool("Echo", (value) => value)] });
    const definition = createPlainDefinition({ tools: ["Echo", "Fly"] });
    const { warnings } = await fixture.run({ definition });
    expect(warnings).toEqual(["Agent main names tools that do not exist: Fly."]);
  });

  test("compacts a conversation that grows too long, and continues", async () => {
    const fixture = createEngineFixture({
      contextTokens: 4000,
      tools: [createTestTool("Echo", () => "x".repeat(3000), { access: "read" })],
      script: ({ turn, text }) =>
        turn < 8 ? { calls: [call("Echo")] } : { text: `${text.length < 16_000}` },
    });
    const result = await fixture.run();
    expect(result).toMatchObject({ status: "succeeded", text: "true" });
    expect(typesOf(await fixture.events(result.runId))).toContain("conversation-compacted");
  });
});

describe("a run that does not end", () => {
  test("times out, with its text so far", async () => {
    const clock = createFakeClock();
    const begun = Promise.withResolvers<void>();
    const tool = createTestTool("Wait", (_, { signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    const script = replies({ text: "let me see", calls: [call("Wait")] });
    const fixture = createEngineFixture({
      clock,
      tools: [tool],
      script,
      limits: { stallSeconds: 10_000 },
    });
    const id = await fixture.spawn({ timeoutSeconds: 60 });
    await begun.promise;
    clock.advance(60_000);
    const result = await fixture.engine.result(id);
    expect(result).toMatchObject({
      status: "timed-out",
      text: "let me see",
      failure: { code: "timed-out" },
    });
    expect(clock.pending).toBe(0);
  });

  test("has no text when it is stopped before the first word of its answer", async () => {
    const begun = Promise.withResolvers<void>();
    const tool = createTestTool("Wait", (_, { signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    const script = replies({ text: "\n\n", calls: [call("Wait")] });
    const fixture = createEngineFixture({ tools: [tool], script });
    const id = await fixture.spawn({});
    await begun.promise;
    await fixture.engine.cancel(id, "wrong way", "user");
    expect(await fixture.engine.result(id)).toMatchObject({ status: "cancelled", text: "" });
  });

  test("ends as stalled when its tool is silent and ignores its abort", async () => {
    const clock = createFakeClock();
    const begun = Promise.withResolvers<void>();
    const tool = createTestTool("Wait", () => {
      begun.resolve();
      return never;
    });
    const script = replies({ text: "let me see", calls: [call("Wait")] });
    const fixture = createEngineFixture({ clock, tools: [tool], script });
    const id = await fixture.spawn();
    await begun.promise;
    clock.advance(119_000);
    expect((await fixture.registry.run(id))?.status).toBe("running");
    clock.advance(1000);
    // A tool that ignores the signal gets a grace period, and is then abandoned.
    clock.advance(5000);
    expect(await fixture.engine.result(id)).toMatchObject({
      status: "failed",
      text: "let me see",
      failure: { code: "stalled" },
    });
  });

  test("is not stalled while its tool reports progress", async () => {
    const clock = createFakeClock();
    const begun = Promise.withResolvers<void>();
    const work = Promise.withResolvers<string>();
    let report: ((progress: string) => void) | undefined;
    const tool = createTestTool("Work", (_, context) => {
      ({ report } = context);
      begun.resolve();
      return work.promise;
    });
    const fixture = createEngineFixture({
      clock,
      tools: [tool],
      script: replies({ calls: [call("Work")] }, { text: "done" }),
    });
    const id = await fixture.spawn();
    await begun.promise;
    for (let minute = 0; minute < 4; minute += 1) {
      clock.advance(60_000);
      report?.("working");
    }
    work.resolve("worked");
    expect(await fixture.engine.result(id)).toMatchObject({ status: "succeeded" });
  });
});

describe("cancelling", () => {
  test("ends a run, once, and records that in its journal", async () => {
    const asked = Promise.withResolvers<void>();
    const fixture = createEngineFixture({
      script() {
        asked.resolve();
        return { text: "never", fault: { kind: "hang" } };
      },
    });
    const id = await fixture.spawn();
    await asked.promise;
    const both = [
      fixture.engine.cancel(id, "enough", "user"),
      fixture.engine.cancel(id, "too", "user"),
    ];
    expect(await Promise.all(both)).toContain(true);
    expect(await fixture.engine.cancel(id, "again", "user")).toBe(false);
    const events = await fixture.events(id);
    expect(events.at(-1)).toMatchObject({
      result: { status: "cancelled", failure: { code: "cancelled", message: "enough" } },
    });
    expect(typesOf(events).filter((type) => type === "run-finished")).toHaveLength(1);
  });

  test("of a run whose end is being written reports that it had ended", async () => {
    const fixture = createEngineFixture();
    const id = await fixture.spawn();
    const answers: Promise<boolean>[] = [];
    // Each turn of the event loop until the end is durable, including the one in which it is written.
    await eventually(async () => {
      const run = await fixture.registry.run(id);
      if (run?.status === "succeeded") answers.push(fixture.engine.cancel(id, "late", "user"));
      return fixture.engine.isExecuting(id) ? undefined : true;
    });
    expect(answers.length).toBeGreaterThan(0);
    expect(await Promise.all(answers)).not.toContain(true);
    expect(await fixture.engine.result(id)).toMatchObject({ status: "succeeded" });
  });

  test("ends a run that waits for its turn", async () => {
    const asked = Promise.withResolvers<void>();
    const fixture = createEngineFixture({
      concurrency: 1,
      script() {
        asked.resolve();
        return { text: "never", fault: { kind: "hang" } };
      },
    });
    await fixture.spawn();
    await asked.promise;
    const waiting = await fixture.spawn();
    await fixture.engine.cancel(waiting, "enough", "user");
    expect(await fixture.engine.result(waiting)).toMatchObject({ status: "cancelled", turns: 0 });
  });

  test("that was requested before the process was killed is executed by the next process", async () => {
    const fixture = createEngineFixture({ script: () => ({ text: "x", fault: { kind: "hang" } }) });
    const left = createEngineFixture();
    const hash = left.registry.putContent(JSON.parse(JSON.stringify(createPlainDefinition())));
    const { definition: _, ...rest } = (await fixture.registry.spec(await fixture.spawn())) ?? {};
    const spec = { ...rest, id: "r", rootId: "r", definition: hash } as never;
    left.registry.append("r", { type: "run-created", spec });
    left.registry.append("r", { type: "run-started", owner: "1" });
    left.registry.append("r", { type: "cancel-requested", reason: "enough", by: "user" });
    await left.registry.close();
    let asked = 0;
    const next = createEngineFixture({
      path: left.path,
      script() {
        asked += 1;
        return { text: "done" };
      },
    });
    await next.engine.resume("r");
    expect(await next.engine.result("r")).toMatchObject({
      status: "cancelled",
      failure: { message: "enough" },
    });
    expect(asked).toBe(0);
  });
});
