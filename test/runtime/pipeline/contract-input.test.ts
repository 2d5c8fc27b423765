import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SubAgentInput } from "../../../src/index.ts";
import type { JsonObject } from "../../../src/host.ts";
import {
  type ContractFixture,
  openContractFixture,
} from "../../fixtures/pipeline/contract-fixture.ts";

let fixture: ContractFixture;
beforeAll(async () => {
  const judge = (says: string, output: JsonObject): object => ({
    when: { agent: "judge", task: { matches: `"agent_config": \\{[^}]*"say": "${says}"` } },
    reply: { calls: [{ tool: "final_output", input: output }] },
  });
  fixture = await openContractFixture([
    judge("result", { agent_result: [1] }),
    judge("prompt", { coder_prompt: "Judged." }),
    judge("event", { emit_events: ["judge::end"] }),
    judge("no", { error_msg: "no" }),
    judge("end", { emit_events: ["end now"] }),
    {
      when: { task: "Tone mild" },
      reply: { calls: [{ tool: "final_output", input: { coder_prompt: "Mildly." } }] },
    },
    { reply: { text: "done" } },
  ]);
});
afterAll(() => fixture.close());

const all = { name: "a", on: ["start", "task::start", "task::end", "end", "x::y"] };

describe("a sub-agent gets", () => {
  const always = [
    "agent_config",
    "coder_params",
    "coder_prompt",
    "coder_prompt_dir",
    "coder_prompts",
    "event",
    "sub_agents_next",
    "sub_agents_prev",
  ];
  const task = ["coder_task"];
  const ended = ["coder_responses"];
  test("the fields of its event, and the same for events emitted there", async () => {
    const { calls } = await fixture.execute(
      { sub_agents: [all], inputs: ["i"] },
      { a: ({ event }) => (event === "x::y" ? null : { emit_events: ["x::y"] }) },
    );
    const own = calls.map((call) => [
      call.event,
      Object.keys(call).filter((key) => ![...always, "task", "sharedContext"].includes(key)),
    ]);
    expect(own).toEqual([
      ...["start", "x::y"].map((event) => [event, []]),
      ...["task::start", "x::y"].map((event) => [event, task]),
      ...["task::end", "x::y"].map((event) => [event, [...ended, ...task]]),
      ...["end", "x::y"].map((event) => [event, ended]),
    ]);
    for (const call of calls) expect(Object.keys(call)).toEqual(expect.arrayContaining(always));
  });

  test("its own copy of the parameters, without the agents, and with the three lists of globs", async () => {
    const spoil = ({ coder_params: params, agent_config, sub_agents_next }: SubAgentInput) => {
      (params["deep"] as JsonObject)["a"] = 2;
      params["context_globs"] = ["spoilt"];
      agent_config.on.push("end");
      sub_agents_next.length = 0;
    };
    const { calls, trace } = await fixture.execute(
      { sub_agents: ["a", "b"], deep: { a: 1 } },
      { a: spoil },
    );
    expect(trace).toEqual(["start:a", "start:b", "coder"]);
    const globs = { context_globs: [], structure_globs: [], knowledge_globs: [] };
    expect(calls[1]?.coder_params).toEqual({ agent: "coder", deep: { a: 1 }, ...globs });
  });

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["what was returned, and no more", {}, { x: 1 }, { x: 1 }],
    ["nothing of an empty table", {}, {}, {}],
    ["no list of agents that was returned", {}, { sub_agents: ["c"], x: 1 }, { x: 1 }],
    [
      "what was merged",
      { merge_params: true },
      { deep: { b: 2 }, agent: "coder" },
      { agent: "coder", deep: { b: 2 }, keep: 1 },
    ],
    [
      "no list of agents that was merged",
      { merge_params: true },
      { sub_agents: ["c"] },
      { agent: "coder", deep: { a: 1 }, keep: 1 },
    ],
    ["what was returned without merging", { merge_params: false }, { x: 1 }, { x: 1 }],
  ])("the parameters after another agent: %s", async (_, options, coder_params, expected) => {
    const params = { sub_agents: [{ name: "a", options }, "b"], deep: { a: 1 }, keep: 1 };
    const { calls } = await fixture.execute(params, { a: () => ({ coder_params }) });
    expect(calls[1]?.coder_params).toEqual({
      context_globs: [],
      structure_globs: [],
      knowledge_globs: [],
      ...expected,
    });
  });

  test("the history of all events, and the answers", async () => {
    const sub_agents = [
      { name: "a", on: ["start", "task::end"], kept: [1] },
      { name: "b", on: ["a::done", "end"] },
    ];
    const { calls } = await fixture.execute(
      { sub_agents, inputs: ["i"] },
      { a: ({ event }) => ({ agent_result: event, emit_events: ["a::done"] }) },
    );
    const config = { name: "a", enabled: true, on: ["start", "task::end"], kept: [1] };
    const other = {
      config: { name: "b", enabled: true, on: ["a::done", "end"] },
      event: "a::done",
      agent_result: null,
      success: true,
      error: null,
    };
    expect(calls.at(-1)?.sub_agents_prev).toEqual([
      { config, event: "start", agent_result: "start", success: true, error: null },
      other,
      { config, event: "task::end", agent_result: "task::end", success: true, error: null },
      other,
    ]);
    expect(calls.at(-1)?.coder_responses).toEqual([
      { text: "done", content_extruded: "done", files_changed: [], input: "i" },
    ]);
    expect(calls[0]).toMatchObject({
      agent_config: config,
      sub_agents_prev: [],
      coder_prompt_dir: `${fixture.folder}/prompts`,
    });
  });

  test("the agents to come; the list it returns is for later dispatches only", async () => {
    const sub_agents = ["a", "b", { name: "c", on: "a::done" }, { name: "d", on: "end" }];
    const next = ["d", { name: "d", on: "a::done" }];
    const { calls, trace } = await fixture.execute(
      { sub_agents },
      { a: () => ({ sub_agents_next: next, emit_events: ["a::done"] }) },
    );
    expect(trace).toEqual(["start:a", "start:b", "a::done:d", "coder"]);
    const names = calls.map((call) => call.sub_agents_next.map(({ name }) => name));
    expect(names).toEqual([["b", "c", "d"], ["d"], ["d"]]);
  });
});

describe("an agent that is not a program", () => {
  test.each<[string, JsonObject, object]>([
    [
      "a prompt, by its output",
      { name: "judge.md", say: "result" },
      { agent_result: [1], success: true },
    ],
    ["an .aip agent, by its first output", { name: "first.aip" }, { agent_result: "start" }],
    [
      "an .aip agent, by After All before its output",
      { name: "last.aip" },
      { agent_result: "no", success: true },
    ],
    [
      "an .aip agent that returns nothing",
      { name: "none.aip" },
      { agent_result: null, success: true },
    ],
  ])("takes part: %s", async (_, entry, item) => {
    const { output, status } = await fixture.execute({ sub_agents: [entry] });
    expect([status, output]).toMatchObject(["succeeded", { sub_agents: [item] }]);
  });

  test("an .aip agent's empty table is a table if one is expected", async () => {
    const keep = { extra: 1 };
    const empty = await fixture.execute({ sub_agents: ["empty.aip", "b"], ...keep });
    expect(empty).toMatchObject({ status: "succeeded", calls: [{ coder_params: keep }] });
    const cleared = await fixture.execute({ sub_agents: ["clear.aip", "b"], ...keep });
    expect(cleared.status).toBe("succeeded");
    expect(cleared.calls[0]?.coder_params).not.toHaveProperty("extra");
    const next = await fixture.execute({ sub_agents: ["next.aip", { name: "b", on: "end" }] });
    expect(next).toMatchObject({ status: "succeeded" });
    expect(next.output).toMatchObject({ sub_agents: [{ config: { name: "next.aip" } }] });
  });

  test("an .aip agent returns its input unchanged, including empty lists and tables", async () => {
    const params = { settings: {}, names: [], deep: [{ none: {} }] };
    const entry = { name: "b", on: "end", options: {}, files: {}, list: [] };
    const { status, calls } = await fixture.execute({ sub_agents: ["same.aip", entry], ...params });
    expect(status).toBe("succeeded");
    expect(calls[0]).toMatchObject({
      coder_params: params,
      agent_config: { options: {}, files: {}, list: [] },
    });
  });

  test.each<[string, JsonObject, object]>([
    [
      "a prompt's error",
      { name: "judge.md", say: "no" },
      { code: "pipeline-halted", message: "Sub-agent [judge.md] failed: no" },
    ],
    [
      "a prompt's invalid event, after corrections",
      { name: "judge.md", say: "end" },
      { code: "output-invalid", cause: { code: "output-invalid" } },
    ],
    ["a prompt that returns nothing", { name: "judge.md" }, { code: "output-invalid" }],
    ["an .aip agent's error", { name: "failing.aip" }, { code: "pipeline-halted" }],
    ["an .aip agent's text", { name: "text.aip" }, { code: "output-invalid" }],
  ])("ends the pipeline: %s", async (_, entry, failure) => {
    const executed = await fixture.execute({ sub_agents: [entry] });
    expect(executed).toMatchObject({ status: "failed", failure, received: [] });
    expect(executed.failure?.message).toMatch(/^Sub-agent \[[\w.]+\] failed: /);
  });

  test("emits, changes the instruction, and is a recipe with parameters", async () => {
    const sub_agents = [
      { name: "judge.md", say: "event" },
      { name: "judge.md", say: "prompt", on: "judge::end" },
      { name: "shape.yaml", options: { tone: "mild" }, on: "x::y" },
      { name: "b", on: "judge::end" },
    ];
    const { received, status } = await fixture.execute(
      { sub_agents },
      { b: () => ({ emit_events: ["x::y"] }) },
    );
    expect([status, received]).toEqual(["succeeded", ["Mildly."]]);
  });

  test.each(["judge.md", "ask.aip", "shape.yaml"])(
    "must have the model its entry names, before anything is started: %s",
    async (name) => {
      const options = { model: "nobody:knows", tone: "mild" };
      await expect(fixture.execute({ sub_agents: [{ name, options }] })).rejects.toThrow(
        /nothing was started:\n- The model `nobody:knows` of agent \S+ cannot be used/,
      );
    },
  );
});
