import { describe, expect, test } from "vitest";
import { compileSchema } from "../../source/schema/json-schema.ts";
import { maxValueCharacters, readOutput } from "./sub-agent-output.ts";
import { subAgentOutputSchema } from "./sub-agent-schema.ts";

function outputOf(returned: unknown): unknown {
  const reading = readOutput(returned, "a");
  return reading.kind === "success" ? reading.output : reading;
}

function problemOf(returned: unknown): string {
  const reading = readOutput(returned, "my-agent");
  return reading.kind === "invalid" ? reading.message : `not invalid: ${reading.kind}`;
}

describe("the output of an agent", () => {
  test.each([
    ["nothing", undefined, {}],
    ["null", null, {}],
    ["an empty table", {}, {}],
    ["success", { success: true }, {}],
    ["only null fields", { coder_params: null, error_msg: null, success: null }, {}],
    ["parameters", { coder_params: { a: 1 } }, { coder_params: { a: 1 } }],
    ["empty parameters", { coder_params: {} }, { coder_params: {} }],
    ["a prompt", { coder_prompt: "x" }, { coder_prompts: ["x"] }],
    ["prompts", { coder_prompts: ["x", "y"] }, { coder_prompts: ["x", "y"] }],
    [
      "both, saying the same",
      { coder_prompt: "x\n\ny", coder_prompts: ["x", "y"] },
      { coder_prompts: ["x", "y"] },
    ],
    ["a result", { agent_result: [1, { b: null }] }, { agent_result: [1, { b: null }] }],
    ["false as a result", { agent_result: false }, { agent_result: false }],
    ["events", { emit_events: ["a::b", "a::b"] }, { emit_events: ["a::b", "a::b"] }],
    [
      "Lua's empty list",
      { emit_events: {}, coder_prompts: {}, sub_agents_next: {} },
      { emit_events: [], coder_prompts: [], sub_agents_next: [] },
    ],
    [
      "the agents to come",
      { sub_agents_next: ["b", { name: "c", on: "end", x: 1 }] },
      {
        sub_agents_next: [
          { name: "b", enabled: true, on: ["start"] },
          { name: "c", enabled: true, on: ["end"], x: 1 },
        ],
      },
    ],
    [
      "after_all, which wins",
      { after_all: { agent_result: 1 }, outputs: [{ agent_result: 2 }] },
      { agent_result: 1 },
    ],
    [
      "the first output",
      { outputs: [{ agent_result: 2 }, { agent_result: 3 }] },
      { agent_result: 2 },
    ],
    [
      "the first output behind an empty after_all",
      { after_all: null, outputs: [{ agent_result: 2 }] },
      { agent_result: 2 },
    ],
    ["no output at all", { outputs: [] }, {}],
    ["an output of nothing", { outputs: [null], after_all: null }, {}],
    ["keys without a value", { agent_result: { a: undefined, b: 1 } }, { agent_result: { b: 1 } }],
  ])("is accepted: %s", (_, returned, output) => {
    expect(outputOf(returned)).toEqual(output);
  });

  test.each([
    ["success false", { success: false }, "Unknown error", null],
    ["a message", { error_msg: "no" }, "no", null],
    ["a message although successful", { success: true, error_msg: "no" }, "no", null],
    ["an empty message", { error_msg: "" }, "", null],
    ["details", { success: false, error_msg: "no", error_details: "why" }, "no", "why"],
    ["a failure whose rest is wrong", { error_msg: "no", coder_params: 5 }, "no", null],
    ["a failure in after_all", { after_all: { error_msg: "no" }, outputs: [{}] }, "no", null],
  ])("is a failure: %s", (_, returned, message, details) => {
    expect(readOutput(returned, "a")).toEqual({ kind: "failure", message, details });
  });

  test.each([
    ["a text", "done", ["a table, or nothing", "the text `done`"]],
    ["a number", 5, ["a table", "the number `5`"]],
    ["a list", [1], ["a table", "a list of 1"]],
    ["false", false, ["a table", "the boolean `false`"]],
    ["an output that is a text", { outputs: ["done"] }, ["a table", "the text `done`"]],
    ["two prompts that differ", { coder_prompt: "x", coder_prompts: ["y"] }, ["got both"]],
    [
      "an event too long",
      { emit_events: [`a::${"b".repeat(200)}`] },
      ["203 characters", "at most 200"],
    ],
    ["NaN", { agent_result: { a: [NaN] } }, ["output.agent_result.a[0]", "NaN"]],
    ["infinity", { agent_result: Infinity }, ["output.agent_result", "Infinity"]],
    ["a function", { agent_result: () => 1 }, ["output.agent_result", "function"]],
    ["a bigint", { agent_result: 1n }, ["output.agent_result", "bigint"]],
    ["a date", { agent_result: new Date(0) }, ["output.agent_result", "Date"]],
    ["a map", new Map([["a", 1]]), ["Map"]],
    ["a function alone", () => 1, ["function"]],
    // The other fields, and each wrong type, are in test/runtime/contract-output.test.ts.
  ])("is refused by agent, field, expected and got: %s", (_, returned, words) => {
    const problem = problemOf(returned);
    expect(problem).toMatch(/^Sub-agent \[my-agent\] failed: /);
    for (const word of [...words, "got"]) expect(problem).toContain(word);
  });

  test("is refused when it is cyclic", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = { list: [cycle] };
    expect(problemOf({ agent_result: cycle })).toContain("cycle");
  });

  test("is refused when it is huge, even through shared parts", () => {
    const text = "x".repeat(maxValueCharacters);
    expect(problemOf({ coder_prompt: text })).toContain("characters");
    let bomb: unknown = "x";
    for (let level = 0; level < 60; level += 1) bomb = [bomb, bomb];
    expect(problemOf({ agent_result: bomb })).toContain("characters");
    const long: unknown[] = [];
    long.length = 50_000_000;
    expect(problemOf({ agent_result: long })).toContain("characters");
  });

  test("is refused with all problems at once", () => {
    const problem = problemOf({ coder_prompt: 1, emit_events: 2 });
    expect(problem).toContain("`coder_prompt`");
    expect(problem).toContain("`emit_events`");
  });

  test("is a copy, independent of later changes by the agent", () => {
    const params = { a: { b: 1 } };
    const reading = readOutput({ coder_params: params }, "a");
    params.a.b = 2;
    expect(reading).toMatchObject({ output: { coder_params: { a: { b: 1 } } } });
  });

  test("causes a warning for an unknown field, unless it begins with _", () => {
    const reading = readOutput({ emit_event: ["a::b"], _display: "x" }, "a");
    expect(reading).toMatchObject({ kind: "success", output: {} });
    expect(reading).toHaveProperty("warnings", [expect.stringContaining("`emit_events`")]);
  });

  test("keeps __proto__ as an ordinary key", () => {
    const params = JSON.parse('{"__proto__": {"polluted": true}}') as unknown;
    expect(JSON.stringify(outputOf({ coder_params: params }))).toContain("polluted");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

test("the schema for models accepts the same outputs as the contract", () => {
  const compiled = compileSchema(subAgentOutputSchema);
  if ("problem" in compiled) throw new Error(compiled.problem);
  const { check } = compiled;
  const right = {
    coder_params: { a: 1 },
    coder_prompts: ["x"],
    agent_result: null,
    sub_agents_next: ["a", { name: "b", on: ["end"], extra: 1 }],
    emit_events: ["a::b"],
    success: true,
  };
  expect(check(right)).toEqual([]);
  for (const wrong of [{ coder_params: [] }, { emit_events: "a::b" }, { emit_event: [] }, []]) {
    expect(check(wrong)).not.toEqual([]);
  }
});
