import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ContractFixture,
  openContractFixture,
} from "../../fixtures/pipeline/contract-fixture.ts";

let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await openContractFixture();
});
afterAll(() => fixture.close());

const unchanged = { status: "succeeded", received: ["Fix it."], warnings: [] };

describe("a program that returns", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["an empty text", ""],
    ["an empty table", {}],
    ["null as its output", { output: null }],
    ["no outputs", { outputs: [] }],
    ["null for after_all and outputs", { after_all: null, outputs: [null] }],
    ["success", { success: true }],
    ["no events", { emit_events: [] }],
    ["Lua's empty list of events", { emit_events: {} }],
    ["details without a message", { error_details: "why" }],
    ...[
      ["coder_params", "coder_prompt", "coder_prompts", "agent_result", "sub_agents_next"],
      ["emit_events", "success", "error_msg", "error_details"],
    ]
      .flat()
      .map((field): [string, object] => [`null as ${field}`, { [field]: null }]),
  ])("%s changes nothing", async (_, returned) => {
    const executed = await fixture.execute({ sub_agents: ["a", "b"] }, { a: () => returned });
    expect(executed).toMatchObject({ ...unchanged, trace: ["start:a", "start:b", "coder"] });
    expect(executed.calls[1]).toMatchObject({ coder_prompt: "Fix it.", coder_params: {} });
  });

  const rest = { coder_prompt: "New.", coder_params: { a: 1 }, emit_events: ["a::b"] };
  test.each<[string, object, string]>([
    ["success false", { ...rest, success: false }, "Unknown error"],
    ["a message", { ...rest, error_msg: "no" }, "no"],
    ["a message although successful", { ...rest, success: true, error_msg: "no" }, "no"],
    ["details", { ...rest, error_msg: "no", error_details: "why" }, "no\nDetails: why"],
    ["a failure whose rest is wrong", { success: false, coder_params: 5 }, "Unknown error"],
    ["a failure in after_all", { after_all: { ...rest, error_msg: "no" }, outputs: [{}] }, "no"],
    ["a failure in the first output", { outputs: [{ ...rest, error_msg: "no" }, {}] }, "no"],
  ])("%s ends the pipeline, and nothing of it is applied", async (_, returned, message) => {
    const sub_agents = ["a", "b", { name: "c", on: ["a::b", "end"] }];
    const { status, failure, trace } = await fixture.execute({ sub_agents }, { a: () => returned });
    expect([status, trace]).toEqual(["failed", ["start:a"]]);
    expect(failure).toMatchObject({
      code: "pipeline-halted",
      message: `Sub-agent [a] failed: ${message}`,
      details: { agent: "a" },
    });
  });

  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    coder_params: ["x", 5, true, [1]],
    coder_prompt: [5, true, ["x"], {}],
    coder_prompts: ["x", 5, { a: 1 }, [1], [["x"]]],
    sub_agents_next: ["b", 5, { name: "b" }, [5], [{}], [{ name: "" }], [{ name: 1 }]],
    "sub_agents_next[0].on": [[], "", "done", { a: 1 }, 5, [5], ["b::"]],
    "sub_agents_next[0].enabled": ["yes", 1],
    "sub_agents_next[0].options": [["x"], "x"],
    "sub_agents_next[0].stage_pre": [true, false],
    "sub_agents_next[0].stage_post": [true],
    "sub_agents_next[0].coder_stage": ["pre"],
    emit_events: ["a::b", 5, { a: 1 }],
    "emit_events[0]": [5, "done", "start", "end", "task::start", "task::end", "", "a::", "::a"],
    success: ["false", 0, {}, []],
    error_msg: [5, {}, ["no"]],
    error_details: [5, {}],
    "coder_params.context_globs": ["x", 5, { a: 1 }],
    "coder_params.structure_globs[0]": [5, ""],
    "coder_params.knowledge_globs": [true],
    "coder_params.inputs": ["x", { a: 1 }],
    "coder_params.input_concurrency": [0, 65, 1.5, "2"],
    "coder_params.model": [5, ""],
    "coder_params.agent": [5, ""],
  };
  const nest = (field: string, value: unknown): Record<string, unknown> => {
    const [, first = "", key] = /^(\w+)\[0\](?:\.(\w+))?$/.exec(field) ?? [];
    if (first !== "") return { [first]: [key === undefined ? value : { name: "b", [key]: value }] };
    const [, inner = "", at] = /^coder_params\.(\w+)(\[0\])?$/.exec(field) ?? [];
    if (inner === "") return { [field]: value };
    return { coder_params: { [inner]: at === undefined ? value : [value] } };
  };
  const cases = Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value): [string, string, unknown] => [field, JSON.stringify(value), value]),
  );

  test.each(cases)(
    "%s as %s is refused by agent, field, expected and got",
    async (field, _, value) => {
      const output = { ...nest(field, value), agent_result: 1 };
      const { failure, trace } = await fixture.execute(
        { sub_agents: ["a", "b"] },
        { a: () => output },
      );
      expect(trace).toEqual(["start:a"]);
      expect(failure).toMatchObject({ code: "output-invalid", details: { agent: "a" } });
      const { message = "" } = failure ?? {};
      expect(message).toMatch(/^Sub-agent \[a\] failed: its output is not valid: field `/);
      expect(message).toContain(`\`${field}`);
      expect(message).toMatch(/expected /i);
      expect(message).toContain("got ");
    },
  );

  test.each<[string, unknown, string]>([
    ["a text", "done", "a table, or nothing; got the text `done`"],
    ["a text as its text", { text: "done" }, "a table, or nothing; got the text `done`"],
    ["a text in after_all", { after_all: "x" }, "a table, or nothing; got the text `x`"],
    ["a list in outputs", { outputs: [[1]] }, "a table, or nothing; got a list of 1"],
    ["true", true, "returned boolean; expected"],
    ["a number", 5, "returned number; expected"],
    ["a list", [], "returned a list; expected"],
    ["an error", new Error("no"), "a Error, not JSON"],
    ["NaN", { agent_result: NaN }, "output.agent_result: NaN"],
    ["infinity", { agent_result: [Infinity] }, "output.agent_result[0]"],
    ["a cycle", { agent_result: cycle }, "it contains itself"],
    ["code", { agent_result: () => 1 }, "a function"],
    ["a date", { agent_result: new Date(0) }, "a Date"],
    ["too much", { agent_result: "x".repeat(2 ** 21) }, "more than"],
    ["two prompts", { coder_prompt: "x", coder_prompts: ["y"] }, "got both with different texts"],
  ])("%s is refused", async (_, returned, message) => {
    const { failure, trace } = await fixture.execute(
      { sub_agents: ["a", "b"] },
      { a: () => returned },
    );
    expect(trace).toEqual(["start:a"]);
    expect(failure).toMatchObject({ code: "output-invalid" });
    expect(failure?.message).toMatch(/^Sub-agent \[a\] failed: /);
    expect(failure?.message).toContain(message);
  });

  test.each<[string, object, string]>([
    ["a prompt", { coder_prompt: "New." }, "New."],
    ["prompts", { coder_prompts: ["One.", "Two."] }, "One.\n\nTwo."],
    ["both, saying the same", { coder_prompt: "x\n\ny", coder_prompts: ["x", "y"] }, "x\n\ny"],
    ["after_all", { after_all: { coder_prompt: "A" }, outputs: [{ coder_prompt: "O" }] }, "A"],
    ["outputs", { outputs: [{ coder_prompt: "O" }, { coder_prompt: "P" }] }, "O"],
    ["a fallback", { after_all: null, outputs: [{ coder_prompt: "O" }] }, "O"],
    ["its output beside a text", { text: "I did", output: { coder_prompt: "New." } }, "New."],
  ])("%s replaces the instruction", async (_, returned, received) => {
    const executed = await fixture.execute({ sub_agents: ["a"] }, { a: () => returned });
    expect(executed).toMatchObject({ status: "succeeded", received: [received] });
  });
});

test("a program that throws ends the pipeline with its error", async () => {
  const act = (): never => {
    throw new Error("oh");
  };
  const { failure, received } = await fixture.execute({ sub_agents: ["a"] }, { a: act });
  const cause = { code: "internal", message: "Agent a threw: oh" };
  const message = "Sub-agent [a] failed: Agent a threw: oh";
  expect(failure).toMatchObject({ code: "pipeline-halted", message, cause });
  expect(received).toEqual([]);
});
