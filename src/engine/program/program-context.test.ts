import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createEngineFixture, type EngineGiven } from "../../../test/fixtures/engine-fixture.ts";
import { resumeLeftRun } from "../../../test/fixtures/left-run.ts";
import { createResult } from "../../../test/fixtures/run-spec.ts";
import type { ProgramAgent } from "../../agent/program/program.ts";
import type { ScriptReply } from "../../model/script/scripted-model.ts";
import type { RunEventBody } from "../../run/event.ts";
import type { JsonValue } from "../../source/json.ts";

const runProgram = async (run: ProgramAgent["run"], given: EngineGiven = {}, request = {}) =>
  await createEngineFixture({ ...given, program: run }).run(request);

const finishedStep = (key: string, value: JsonValue): RunEventBody => ({
  type: "step-finished",
  key,
  kind: "note",
  value,
  durationMs: 0,
});

describe("a program", () => {
  test("gets the fields of its input beside its task, as a copy of its own", async () => {
    const inputs = [{ n: { deep: 1 } }];
    const result = await runProgram((input) => ({ output: { ...input } }), {}, { inputs });
    expect(result.output).toEqual({ n: { deep: 1 }, task: "do it", sharedContext: {} });
  });

  test("returns an object, a text, both, or nothing", async () => {
    expect(await runProgram(() => ({ a: 1 }))).toMatchObject({ text: "", output: { a: 1 } });
    expect(await runProgram(() => ({ text: "x", a: 1 }))).toMatchObject({
      output: { text: "x", a: 1 },
    });
    const nothing = await runProgram(() => undefined);
    expect(nothing).toMatchObject({ status: "succeeded", text: "" });
    expect(nothing).not.toHaveProperty("output");
  });

  test("gets the public functions of its run, and nothing else of it", async () => {
    const names: string[] = [];
    await runProgram((_, context) => void names.push(...Object.keys(context)));
    expect(names.toSorted().join(" ")).toBe(
      "agent ask cwd delegate emit log progress runId signal stateFolder step",
    );
  });

  test("emits events before those it returns, and only valid names", async () => {
    const result = await runProgram((_, { emit }) => {
      emit("a::b");
      return { emit_events: ["c::d"] };
    });
    expect(result.output).toEqual({ emit_events: ["a::b", "c::d"] });
    const wrong = await runProgram((_, { emit }) => emit(5 as never));
    expect(wrong.failure?.message).toContain("emit expects the name of an event, got number");
    const list = await runProgram((_, { emit }) => (emit("a::b"), { output: [1] }));
    expect(list.failure).toMatchObject({ code: "output-invalid" });
    const text = await runProgram((_, { emit }) => (emit("a::b"), "done"));
    expect(text.failure?.message).toContain(
      "emitted events, so it must return nothing, or a table",
    );
  });

  test("logs into its journal, once per message over all executions, up to a limit", async () => {
    const fixture = await resumeLeftRun([finishedStep("log/1", "one")], {
      program(_, { log, progress }) {
        for (const text of ["one", "two", { three: 3 } as never]) log(text);
        progress(1, 2);
        for (let more = 0; more < 1000; more += 1) log("more");
        return "";
      },
    });
    await fixture.engine.result("r");
    const logs = (await fixture.events("r")).flatMap((event) =>
      event.type === "step-finished" && event.key.startsWith("log/") ? [event.value] : [],
    );
    expect(logs.slice(0, 4)).toEqual(["one", "two", '{"three":3}', "more"]);
    expect(logs).toHaveLength(1000);
  });

  test("has its own folder, named after it", async () => {
    const folders: string[] = [];
    const fixture = createEngineFixture({
      program(_, { stateFolder, cwd }) {
        folders.push(stateFolder.replace(cwd, ""));
        mkdirSync(stateFolder, { recursive: true });
        writeFileSync(join(stateFolder, "note"), "x");
        return "";
      },
    });
    await fixture.run();
    await fixture.run({ agent: "../../prompts/x.md" });
    expect(folders).toEqual(["/agents/main", "/agents/..-..-prompts-x.md"]);
  });

  test("delegates with a key if the order of its calls can differ", async () => {
    const keys: string[] = [];
    const delegate = async (_: unknown, key: string) => (keys.push(key), createResult("c"));
    const result = await runProgram(
      async (_, context) => {
        const request = { agent: "x", task: "y" };
        await context.delegate(request, { key: "b" });
        await context.delegate(request);
        const { status } = await context.delegate(request);
        await context.delegate(request, { key: "b" });
        return status;
      },
      { delegate },
    );
    expect(keys).toEqual(["delegate/b", "delegate/1", "delegate/2"]);
    expect(result.failure?.message).toContain("the step key b was used before in this run");
  });
});

describe("a question of a program", () => {
  const call = (input: JsonValue): ScriptReply =>
    ({ calls: [{ tool: "final_output", input }] }) as ScriptReply;

  test("is a model step of its run, sent once and counted", async () => {
    const prompts: string[] = [];
    const fixture = createEngineFixture({
      script: ({ system, task }) => {
        prompts.push(`${system}|${task}`);
        return { text: "blue", usage: { inputTokens: 3, outputTokens: 1 } };
      },
      program: async (_, { ask }) => (await ask({ system: "Be brief.", prompt: "Color?" })).text,
    });
    const result = await fixture.run();
    expect(result).toMatchObject({ text: "blue", turns: 1, usage: { inputTokens: 3 } });
    expect(prompts).toEqual(["Be brief.|Color?"]);
  });

  test("is not sent again after a resume", async () => {
    const value = {
      parts: [{ type: "text", text: "red" }],
      finish: "stop",
      warnings: [],
      usage: createResult("x").usage,
      cost: 0,
      model: "a:b",
      durationMs: 1,
    };
    const fixture = await resumeLeftRun([finishedStep("ask/color", value as never)], {
      script: () => ({ text: "blue" }),
      program: async (_, { ask }) => (await ask({ prompt: "Color?" }, { key: "color" })).text,
    });
    expect(await fixture.engine.result("r")).toMatchObject({ text: "red" });
  });

  test("has an answer that fits the requested schema, after corrections, or fails", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const ask: ProgramAgent["run"] = async (_, context) => ({
      output: (await context.ask({ prompt: "n?", outputSchema: schema })).output ?? null,
    });
    const replies = [{ text: "five" }, call({ n: "5" }), call({ n: 5 })];
    const good = await runProgram(ask, { script: ({ turn }) => replies[turn] ?? { text: "" } });
    expect(good).toMatchObject({ output: { n: 5 }, turns: 3 });
    const bad = await runProgram(ask, { script: () => call({}) });
    expect(bad).toMatchObject({ turns: 3, failure: { code: "output-invalid" } });
  });

  test("stays within the budget", async () => {
    const result = await runProgram(
      async (_, { ask }) => (await ask({ prompt: "x".repeat(400) })).text,
      {},
      { budget: { tokens: 50 } },
    );
    expect(result.failure).toMatchObject({ code: "budget-exceeded" });
  });
});
