import { describe, expect, test } from "vitest";
import {
  createPlainDefinition,
  createEngineFixture,
  createTestTool,
} from "../../../test/fixtures/engine-fixture.ts";
import type { Script, ScriptReply } from "../../model/script/scripted-model.ts";
import type { RunResult } from "../../run/result.ts";
import type { JsonObject } from "../../source/json.ts";
import { createStructuredOutput } from "./structured-output.ts";

const outputSchema: JsonObject = {
  type: "object",
  properties: { title: { type: "string" }, count: { type: "integer" } },
  required: ["title"],
  additionalProperties: false,
};

const handOver = (input: JsonObject, more: ScriptReply = {}): ScriptReply => ({
  ...more,
  calls: [...(more.calls ?? []), { tool: "final_output", input }],
});

/** Sends replies in order, and records the messages before each. */
async function runReplies(
  replies: readonly ScriptReply[],
  spec: { outputSchema?: JsonObject; summary?: boolean } = {},
): Promise<{ result: RunResult; received: string[] }> {
  const received: string[] = [];
  const script: Script = ({ turn, last }) => {
    received.push(last);
    return replies[turn] ?? null;
  };
  const fixture = createEngineFixture({
    script,
    tools: [createTestTool("Echo", (value) => value)],
  });
  return { result: await fixture.run({ outputSchema, ...spec }), received };
}

describe("an agent with an output schema", () => {
  test("gets final_output besides its tools, outside allow lists and permissions", async () => {
    const offers: string[][] = [];
    const systems: string[] = [];
    const tools = [createTestTool("Echo", () => ""), createTestTool("Other", () => "")];
    const fixture = createEngineFixture({
      tools,
      script({ offered, system }) {
        offers.push([...offered]);
        systems.push(system);
        return offered.includes("final_output") ? handOver({ title: "x" }) : { text: "done" };
      },
    });
    const policies = [{ mode: "plan" as const, rules: { allow: [], ask: [], deny: ["Echo"] } }];
    const definition = createPlainDefinition({ tools: ["Echo"] });
    const result = await fixture.run({ definition, outputSchema, policies, parentTools: ["Echo"] });
    expect(result).toMatchObject({ status: "succeeded", output: { title: "x" } });
    await fixture.run();
    expect(offers).toEqual([
      ["Echo", "final_output"],
      ["Echo", "Other"],
    ]);
    expect(systems[0]).toContain("a call of the tool `final_output`");
    expect(systems[1]).not.toContain("final_output");
  });

  test("ends with the output it passes to final_output, and with the text of that message", async () => {
    const silent = await runReplies([handOver({ title: "x", count: 2 })]);
    expect(silent.result).toMatchObject({
      status: "succeeded",
      output: { title: "x", count: 2 },
      text: '{"title":"x","count":2}',
      turns: 1,
    });
    const whole = await runReplies([handOver({ title: "x" })], { summary: false });
    expect(whole.result).toMatchObject({ output: { title: "x" }, text: '{"title":"x"}' });
    const talking = await runReplies([handOver({ title: "x" }, { text: "Here it is." })]);
    expect(talking.result).toMatchObject({ output: { title: "x" }, text: "Here it is." });
  });

  test("has its other calls of the same message executed first", async () => {
    const done: string[] = [];
    const fixture = createEngineFixture({
      tools: [createTestTool("Do", (value) => `${done.push(value)}`)],
      script: () => handOver({ title: "x" }, { calls: [{ tool: "do", input: { value: "a" } }] }),
    });
    expect(await fixture.run({ outputSchema })).toMatchObject({ output: { title: "x" }, turns: 1 });
    expect(done).toEqual(["a"]);
  });

  test("gets every error with its path and corrects itself", async () => {
    const { result, received } = await runReplies([
      handOver({ count: "two", extra: 1 }, { calls: [{ tool: "Echo", input: { value: "a" } }] }),
      handOver({ title: "x" }),
    ]);
    expect(result).toMatchObject({ status: "succeeded", output: { title: "x" }, turns: 2 });
    expect(received[1]).toContain("a\nThe output was not accepted:");
    expect(received[1]).toContain("- title: expected a value, got nothing");
    expect(received[1]).toContain('- count: expected integer, got "two"');
    expect(received[1]).toContain("- extra: expected no such key, got 1");
  });

  test("is asked for the call when it answers in text, and told that arguments were cut off", async () => {
    const { result, received } = await runReplies([
      { text: "The title is x." },
      handOver({ title: "x" }, { finish: "length" }),
      handOver({ title: "x" }),
    ]);
    expect(result).toMatchObject({ status: "succeeded", output: { title: "x" }, turns: 3 });
    expect(received[1]).toContain("expected a call of the tool final_output, got text");
    expect(received[2]).toContain("expected arguments that are JSON");
  });

  test("may write the output as JSON instead of calling", async () => {
    const bare = await runReplies([{ text: '{"title": "x"}' }]);
    expect(bare.result).toMatchObject({ output: { title: "x" }, text: '{"title": "x"}' });
    const fenced = await runReplies([{ text: '```json\n{"title": "x"}\n```' }]);
    expect(fenced.result).toMatchObject({ output: { title: "x" } });
    const wrong = await runReplies([{ text: '{"title": 1}' }, { text: '{"title": "x"}' }]);
    expect(wrong.result).toMatchObject({ output: { title: "x" }, turns: 2 });
    expect(wrong.received[1]).toContain("- title: expected string, got 1");
  });

  test("fails after two corrections, with the errors and the last value, and keeps its text", async () => {
    const { result } = await runReplies([
      { text: "I have it." },
      handOver({ title: 1 }),
      handOver({ title: 2 }, { text: "That must be it." }),
      handOver({ title: "never asked" }),
    ]);
    expect(result).toMatchObject({
      status: "failed",
      text: "That must be it.",
      turns: 3,
      failure: {
        code: "output-invalid",
        details: { errors: ["title: expected string, got 2"], value: { title: 2 } },
      },
    });
    expect(result.failure?.message).toContain("after 2 corrections");
    expect(result).not.toHaveProperty("output");
  });

  test("returns the first valid output when it calls more than once", async () => {
    const { result } = await runReplies([
      {
        calls: [{ title: 1 }, { title: "a" }, { title: "b" }].map((input) => ({
          tool: "final_output",
          input,
        })),
      },
    ]);
    expect(result).toMatchObject({ output: { title: "a" }, turns: 1 });
  });

  test("with an invalid schema fails without a model request", async () => {
    const { result, received } = await runReplies([], { outputSchema: { type: "strin" } });
    expect(result).toMatchObject({ status: "failed", failure: { code: "definition-invalid" } });
    expect(received).toEqual([]);
  });

  test("wraps an output that is not an object", async () => {
    const list: JsonObject = { type: "array", items: { type: "string" } };
    const { result, received } = await runReplies(
      [handOver({ list: [] }), handOver({ value: ["a", 1] }), handOver({ value: ["a"] })],
      { outputSchema: list },
    );
    expect(result).toMatchObject({ status: "succeeded", output: ["a"], text: '["a"]' });
    expect(received[1]).toContain("expected the output under the key value");
    expect(received[2]).toContain("- [1]: expected string, got 1");
  });
});

describe("the schema of final_output", () => {
  test("is the output's own schema if that describes an object", () => {
    const { tool } = createStructuredOutput(outputSchema, "main");
    expect(tool.inputSchema).toBe(outputSchema);
    expect(tool.description).not.toContain("`value`");
  });

  test("is an object around any other schema, whose references stay valid", () => {
    const schema: JsonObject = {
      anyOf: [{ type: "null" }, { $ref: "#/$defs/node" }],
      $defs: { node: { type: "array", items: { $ref: "#" } } },
    };
    const { tool, checkCalls } = createStructuredOutput(schema, "main");
    expect(tool.description).toContain("under the key `value`");
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: {
        value: {
          anyOf: [{ type: "null" }, { $ref: "#/properties/value/$defs/node" }],
          $defs: { node: { type: "array", items: { $ref: "#/properties/value" } } },
        },
      },
      required: ["value"],
      additionalProperties: false,
    });
    const call = { type: "tool-call", id: "1", tool: "final_output" } as const;
    expect(checkCalls([{ ...call, input: { value: [null, [null]] } }])).toEqual({
      value: [null, [null]],
    });
    expect(checkCalls([{ ...call, input: { value: [5] } }])).toHaveProperty("correction");
  });
});

describe("a program with an output schema", () => {
  const runProgram = async (output: unknown): Promise<RunResult> =>
    await createEngineFixture({ program: () => output as never }).run({ outputSchema });

  test("ends with a valid output", async () => {
    expect(await runProgram({ text: "hi", output: { title: "x" } })).toMatchObject({
      status: "succeeded",
      text: "hi",
      output: { title: "x" },
    });
  });

  test.each([
    ["none", "just words", "expected { output }, got no output"],
    ["another one", { output: { title: 5 } }, "title: expected string, got 5"],
  ])("fails with %s", async (_, output, problem) => {
    const result = await runProgram(output);
    expect(result).toMatchObject({
      status: "failed",
      failure: { code: "output-invalid", details: { errors: [problem] } },
    });
  });
});
