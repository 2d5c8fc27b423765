import { describe, expect, test } from "vitest";
import {
  type Agents,
  nothing,
  drainFrom,
  stateOf,
} from "../../../test/fixtures/pipeline/drained-pipeline.ts";

describe("the output of an agent", () => {
  test("replaces the parameters, except the list of agents, and the prompt", async () => {
    const { state } = await drainFrom(stateOf(["a"], { old: 1, sub_agents: ["a"] }), {
      a: () => ({ coder_params: { fresh: 2, sub_agents: ["b"] }, coder_prompt: "New." }),
    });
    expect(state).toMatchObject({ prompts: ["New."] });
    expect(state.params).toEqual({ fresh: 2 });
  });

  test("is merged, one level deep, with the option merge_params", async () => {
    const entries = [{ name: "a", options: { merge_params: true } }];
    const { state } = await drainFrom(stateOf(entries, { keep: 1, deep: { a: 1 } }), {
      a: () => ({ coder_params: { deep: { b: 2 }, sub_agents: [] } }),
    });
    expect(state.params).toEqual({ keep: 1, deep: { b: 2 } });
  });

  test("causes a warning when it drops parameters of the coder", async () => {
    const given = { model: "m", agent: "coder", write_answer: true };
    const params = { ...given, base_dir: null, context_globs: ["a"], mine: 1 };
    const agents: Agents = { a: () => ({ coder_params: { agent: "coder", context_globs: [] } }) };
    const { state } = await drainFrom(stateOf(["a"], params), agents);
    expect(state.warnings).toEqual([
      expect.stringMatching(/^Sub-agent \[a\] replaced .* removed model\. .*merge_params: true/),
    ]);
    const late = stateOf([{ name: "a", on: "end" }], params);
    expect((await drainFrom(late, agents, ["end"])).state.warnings).toEqual([]);
    const merging = stateOf([{ name: "a", options: { merge_params: true } }], params);
    expect((await drainFrom(merging, agents)).state.warnings).toEqual([]);
  });

  test("reaches the next agent", async () => {
    const { port } = await drainFrom(stateOf(["a", "b"]), {
      a: () => ({ coder_prompts: ["x", "y"], agent_result: { n: 1 }, coder_params: { p: 1 } }),
      b: nothing,
    });
    expect(port.calls[1]).toMatchObject({
      input: {
        coder_prompt: "x\n\ny",
        coder_prompts: ["x", "y"],
        coder_params: { p: 1, context_globs: [] },
        sub_agents_prev: [
          {
            config: { name: "a", enabled: true, on: ["start"] },
            event: "start",
            agent_result: { n: 1 },
            success: true,
            error: null,
          },
        ],
      },
    });
  });

  test("is independent of changes to its input", async () => {
    const { state, port } = await drainFrom(stateOf(["a", "b"], { list: [1] }), {
      a: (input) => {
        (input.coder_params["list"] as number[]).push(2);
        input.coder_prompts.push("more");
        input.agent_config.name = "other";
        input.sub_agents_next.length = 0;
      },
      b: nothing,
    });
    expect(state.params).toEqual({ list: [1] });
    expect(port.calls[1]).toMatchObject({
      name: "b",
      input: { coder_params: { list: [1] }, coder_prompts: ["Do it."] },
    });
    expect(state.history[0]?.config.name).toBe("a");
  });
});
