import { describe, expect, test } from "vitest";
import { compileSchema } from "../../source/schema/json-schema.ts";
import { normalizeEntries } from "../prompt-file/entry.ts";
import type { RootEvent } from "../event/event-name.ts";
import { createState, createTaskState, type PipelineState } from "./state.ts";
import { buildInput } from "./sub-agent-input.ts";
import type { SubAgentInput } from "./contract.ts";
import { subAgentInputSchema } from "./sub-agent-schema.ts";

const response = { text: "done", content_extruded: "done", files_changed: ["a.ts"], input: null };

function stateOf(entries: unknown, params = {}): PipelineState {
  const { configs: agents } = normalizeEntries(entries);
  return createState({ promptFolder: "/work/prompt", params, instruction: "Do it.", agents });
}

function inputOf(state: PipelineState, position = 0, event: string = "start"): SubAgentInput {
  const { agents } = state;
  const config = agents[position];
  if (config === undefined) throw new Error("The test has no such agent.");
  const phase: RootEvent = event.includes("task")
    ? (event as RootEvent)
    : event === "end"
      ? "end"
      : "start";
  return buildInput(state, { event, phase, agents, position }, config);
}

describe("the input of an agent", () => {
  test("at start matches the contract exactly", () => {
    const params = { model: "m", sub_agents: ["a", "b"], knowledge_globs: ["k/*"] };
    expect(inputOf(stateOf(["a", { name: "b", x: 1 }], params))).toEqual({
      event: "start",
      coder_prompt_dir: "/work/prompt",
      coder_params: {
        model: "m",
        knowledge_globs: ["k/*"],
        context_globs: [],
        structure_globs: [],
      },
      coder_prompt: "Do it.",
      coder_prompts: ["Do it."],
      agent_config: { name: "a", enabled: true, on: ["start"] },
      sub_agents_prev: [],
      sub_agents_next: [{ name: "b", enabled: true, on: ["start"], x: 1 }],
    });
  });

  test.each([[null], [{}], [undefined]])("has globs as a list when they are %j", (globs) => {
    const params = globs === undefined ? {} : { context_globs: globs };
    expect(inputOf(stateOf(["a"], params)).coder_params["context_globs"]).toEqual([]);
  });

  test("at end has the responses of all tasks", () => {
    const state = { ...stateOf([{ name: "a", on: "end" }]), responses: [response, response] };
    const input = inputOf(state, 0, "end");
    expect(input.coder_responses).toEqual([response, response]);
    expect(input).not.toHaveProperty("coder_task");
  });

  test("at task::start and task::end has the task and its answer", () => {
    const task = { index: 3, input: "a.ts" };
    const state = createTaskState(stateOf([{ name: "a", on: ["task::start", "task::end"] }]), task);
    expect(inputOf(state, 0, "task::start")).toMatchObject({ coder_task: task });
    expect(inputOf(state, 0, "task::start")).not.toHaveProperty("coder_responses");
    const answered = { ...state, responses: [response] };
    expect(inputOf(answered, 0, "task::end")).toMatchObject({
      coder_task: task,
      coder_responses: [response],
    });
  });

  test("fits its schema", () => {
    const compiled = compileSchema(subAgentInputSchema);
    if ("problem" in compiled) throw new Error(compiled.problem);
    const state = { ...stateOf(["a", "b"]), responses: [response] };
    expect(compiled.check(inputOf(state))).toEqual([]);
    expect(compiled.check(inputOf(state, 0, "end"))).toEqual([]);
    expect(compiled.check({ event: "start" })).not.toEqual([]);
  });
});

describe("sub_agents_next", () => {
  const entries = [
    { name: "starts" },
    { name: "reacts", on: "x::y" },
    { name: "both", on: ["start", "end"] },
    { name: "off", enabled: false, on: "end" },
    { name: "ends", on: "end" },
  ];

  test.each([
    ["start", 0, ["reacts", "both", "off", "ends"]],
    ["start", 2, ["reacts", "both", "off", "ends"]],
    ["x::y", 1, ["reacts", "both", "off", "ends"]],
    ["end", 2, ["reacts", "off", "ends"]],
    ["end", 4, ["reacts"]],
  ])("at %s for agent %i lists the agents that can still run", (event, position, names) => {
    const state = stateOf(entries);
    const found = inputOf(state, position, event).sub_agents_next.map(({ name }) => name);
    expect(found).toEqual(names);
  });
});
