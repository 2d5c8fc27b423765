import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  type EngineGiven,
  eventually,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { resumeLeftRun } from "../../../test/fixtures/left-run.ts";
import type { ProgramAgent } from "../../agent/program/program.ts";
import type { RunEventBody } from "../../run/event.ts";

const runProgram = async (run: ProgramAgent["run"], given: EngineGiven = {}) =>
  await createEngineFixture({ ...given, program: run }).run();

describe("a program agent", () => {
  test("ends with its return value", async () => {
    expect(await runProgram(({ task }) => `did: ${task}`)).toMatchObject({ text: "did: do it" });
    expect(await runProgram(() => ({ text: "hi", output: { a: 1 } }))).toMatchObject({
      status: "succeeded",
      output: { a: 1 },
    });
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  test.each([
    ["a number", 5, "returned number; expected a text, { text?, output? }, a table, or nothing"],
    ["a list", [1], "returned a list; expected"],
    ["an invalid text", { text: 5 }, "a `text` that is number; expected a text"],
    ["NaN", { output: { n: NaN } }, "not JSON: output.n: NaN, which JSON does not have"],
    ["a function", { run: () => 1 }, "not JSON: output.run: a function"],
    ["a date", { output: new Date(0) }, "not JSON: output: a Date, not JSON"],
    ["an error instead of throwing it", new Error("no"), "not JSON: output: a Error, not JSON"],
    ["a map", new Map([["a", 1]]), "not JSON: output: a Map, not JSON"],
    ["too much", { output: "x".repeat(17 * 1024 * 1024) }, "more than 16777216 characters"],
    ["a cycle", { output: cycle }, "an output that is not JSON"],
    ["a BigInt", { output: 5n }, "an output that is not JSON"],
  ])("that returns %s fails with a message", async (_, value, message) => {
    const result = await runProgram(() => value as never);
    expect(result).toMatchObject({ status: "failed", failure: { code: "output-invalid" } });
    expect(result.failure?.message).toContain(message);
  });

  test("that throws fails with the thrown error", async () => {
    const result = await runProgram(() => {
      throw new Error("no luck");
    });
    expect(result.failure).toEqual({ code: "internal", message: "Agent main threw: no luck" });
  });

  test("must not use a step key twice", async () => {
    const result = await runProgram(async (_, context) => {
      await context.step("a", () => 1);
      await context.step("a", () => 2);
      return "";
    });
    expect(result.failure?.message).toContain("the step key a was used before in this run");
  });

  test("gets the same value of a step in the first execution and after a resume", async () => {
    const result = await runProgram(async (_, context) => {
      const value = await context.step("when", () => ({ at: new Date(0) }) as never);
      return JSON.stringify(value) + typeof (value as { at: unknown }).at;
    });
    expect(result.text).toBe('{"at":"1970-01-01T00:00:00.000Z"}string');
    const bad = await runProgram(async (_, context) => {
      await context.step("bad", () => 5n as never);
      return "";
    });
    expect(bad.failure?.message).toContain("the step bad returned a value that is not JSON");
  });

  test("does not repeat its recorded steps, including those without a value", async () => {
    const did: string[] = [];
    const step = (key: string, value?: string): RunEventBody =>
      ({
        type: "step-finished",
        key: `program/${key}`,
        kind: "note",
        value,
        durationMs: 0,
      }) as never;
    const fixture = await resumeLeftRun([step("a", "from before"), step("b")], {
      async program(_, context) {
        const first = await context.step("a", () => `${did.push("a")}`);
        await context.step("b", () => did.push("b"));
        await context.step("c", () => did.push("c"));
        return first;
      },
    });
    expect(await fixture.engine.result("r")).toMatchObject({ text: "from before" });
    expect(did).toEqual(["c"]);
  });

  test("that hangs and ignores its signal is abandoned when it is cancelled", async () => {
    const hanging = Promise.withResolvers<void>();
    const late: unknown[] = [];
    const clock = createFakeClock();
    const fixture = createEngineFixture({
      clock,
      async program(_, context) {
        hanging.resolve();
        await new Promise<void>((resolve) =>
          context.signal.addEventListener("abort", () => resolve()),
        );
        await context
          .step("late", () => late.push("done"))
          .catch((error: unknown) => {
            late.push((error as Error).message);
          });
        return await new Promise<string>(() => undefined);
      },
    });
    const id = await fixture.spawn();
    await hanging.promise;
    const cancelled = fixture.engine.cancel(id, "enough", "user");
    await eventually(() => (late.length > 0 ? true : undefined));
    clock.advance(5000);
    expect(await cancelled).toBe(true);
    expect(late).toEqual(["enough"]);
    expect(
      typesOf(await fixture.events(id)).filter((type) => type === "run-finished"),
    ).toHaveLength(1);
  });

  test("that leaves a promise unawaited does not end the process", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    let goOn = (): void => undefined;
    const fixture = createEngineFixture({
      program(_, context) {
        void context.step(
          "left",
          () => new Promise<string>((resolve) => (goOn = () => resolve(""))),
        );
        void context.delegate({ agent: "nobody", task: "x" });
        return "done";
      },
    });
    expect(await fixture.run()).toMatchObject({ status: "succeeded", text: "done" });
    goOn();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});
