import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/host.ts";
import { hang } from "../../fixtures/model-server.ts";
import {
  createPipeline,
  promptFileOf as prompt,
} from "../../fixtures/pipeline/pipeline-project.ts";

describe("a pipeline fails before anything starts", () => {
  test.each([
    ["an agent is missing", { sub_agents: ["nobody"] }, 'Unknown agent: "nobody"'],
    ["the coder is missing", { agent: "nobody" }, 'Unknown agent: "nobody"'],
    ["a parameter has a wrong shape", { inputs: "a" }, "`inputs` to be a list"],
    [
      "an entry names a model that there is not",
      { sub_agents: [{ name: "auto-context", on: "end", options: { model: "sonet" } }] },
      "The model `sonet` of agent auto-context cannot be used: ",
    ],
    [
      "an entry names a model whose key is missing",
      { sub_agents: [{ name: "main", on: "end", options: { model: "haiku-low" } }] },
      "ANTHROPIC_API_KEY",
    ],
  ])("when %s", async (_, params, message) => {
    const { run, cadre, server } = await createPipeline(prompt(params));
    await expect(run()).rejects.toMatchObject({
      code: "definition-invalid",
      message: expect.stringContaining(message) as string,
    });
    expect(await cadre.runs()).toEqual([]);
    expect(server.turns).toEqual([]);
  });

  test("when the Lua of an `.aip` agent does not compile, at whatever event it would run", async () => {
    const code = "# Output\n\n```lua\nreturn {\n```\n";
    const sub_agents = [{ name: "late.aip", on: "end" }];
    const { run, cadre, server, project } = await createPipeline(prompt({ sub_agents }), {
      files: { "prompts/late.aip": code },
      options: { trust: true },
    });
    await expect(run()).rejects.toThrow(`${project.folder}/prompts/late.aip:4:1 error aip-lua`);
    expect(await cadre.runs()).toEqual([]);
    expect(server.turns).toEqual([]);
  });

  test("when an agent is code of an untrusted folder, and the message says what would have run", async () => {
    const code = `export default { name: "near", description: "d", run: () => null };`;
    const { run, project } = await createPipeline(prompt({ sub_agents: ["near.ts"] }), {
      files: { "prompts/near.ts": code },
    });
    await expect(run()).rejects.toThrow(`${project.folder}/prompts/near.ts:1:1 error not-trusted`);
  });
});

describe("a sub-agent that fails ends the pipeline, and the coder does not run", () => {
  test("when a prompt returns invalid output repeatedly", async () => {
    const { run } = await createPipeline(prompt({ sub_agents: ["judge"] }), {
      files: { ".cadre/agents/judge.md": "---\nname: judge\ndescription: d\n---\nYou are judge." },
      script: () => [{ tool: "final_output", input: { emit_events: "all" } }],
    });
    const { failure } = await run();
    expect(failure).toMatchObject({ code: "output-invalid", cause: { code: "output-invalid" } });
    expect(failure?.message).toMatch(/^Sub-agent \[judge\] failed: .*emit_events/s);
  });

  test.each<[string, JsonObject, string]>([
    ["a root event", { emit_events: ["task::end"] }, "emit_events[0]: expected anything but"],
    ["a wrong parameter", { coder_params: { model: 5 } }, "coder_params.model: expected string"],
    [
      "an entry with an unknown event",
      { sub_agents_next: [{ name: "a", on: "done" }] },
      "sub_agents_next[0].on: must match pattern",
    ],
    [
      "two prompts",
      { coder_prompt: "x", coder_prompts: ["y"] },
      "coder_prompt: expected null, got",
    ],
  ])("but not when a prompt returns %s and corrects it", async (_, mistake, problem) => {
    const corrected = { coder_prompt: "New.", coder_params: null, error_msg: null };
    const { run, server } = await createPipeline(prompt({ sub_agents: ["judge"] }), {
      files: { ".cadre/agents/judge.md": "---\nname: judge\ndescription: d\n---\nYou are judge." },
      script: ({ agent, turn }) =>
        agent === "judge"
          ? [{ tool: "final_output", input: turn === 0 ? mistake : corrected }]
          : "done",
    });
    expect(await run()).toMatchObject({ status: "succeeded", text: "done" });
    expect(JSON.stringify(server.turns[1])).toContain(problem);
    expect(server.turns.at(-1)?.task).toBe("New.");
  });

  test("at its timeout", async () => {
    const { run, cadre } = await createPipeline(prompt({ sub_agents: ["slow"] }), {
      options: {
        agents: [
          {
            name: "slow",
            description: "d",
            timeoutSeconds: 0.05,
            run: (_input, { signal }) =>
              new Promise<string>((_resolve, reject) => {
                signal.addEventListener("abort", () => reject(signal.reason as Error));
              }),
          },
        ],
      },
    });
    const result = await run();
    expect(result.failure).toMatchObject({
      code: "pipeline-halted",
      message: "Sub-agent [slow] failed: Agent slow did not finish within its timeout of 0.05 s.",
      cause: { code: "timed-out" },
    });
    expect(await cadre.tree(result.runId)).toHaveLength(2);
  }, 20_000);

  test("when it was removed after the run had begun", async () => {
    const { run } = await createPipeline(prompt({ sub_agents: ["first"] }), {
      agents: { first: () => ({ sub_agents_next: [{ name: "gone", on: "end" }] }) },
    });
    expect((await run()).failure?.message).toContain(
      'Sub-agent [gone] failed: Unknown agent: "gone"',
    );
  });

  test("and the work of the coder and of earlier agents stays in the result", async () => {
    const sub_agents = ["first", { name: "bad", on: "end" }];
    const { run } = await createPipeline(prompt({ sub_agents }), {
      agents: { first: () => ({ agent_result: 1 }), bad: () => ({ error_msg: "no" }) },
    });
    expect(await run()).toMatchObject({
      status: "failed",
      text: "done",
      output: {
        responses: [{ text: "done" }],
        files_changed: [],
        sub_agents: [
          { event: "start", agent_result: 1, success: true },
          { event: "end", success: false, error: "Sub-agent [bad] failed: no" },
        ],
      },
    });
  });
});

test("a pipeline is halted when agents add themselves to the list repeatedly", async () => {
  const sub_agents = [{ name: "a", on: ["start", "x::1", "x::2"] }];
  const { run, calls } = await createPipeline(prompt({ sub_agents }), {
    agents: {
      a: ({ event, agent_config }) => ({
        sub_agents_next: [agent_config],
        emit_events: [event === "x::1" ? "x::2" : "x::1"],
      }),
    },
  });
  expect((await run()).failure).toMatchObject({ details: { cap: "runs" } });
  expect(calls).toHaveLength(100);
}, 60_000);

test("a pipeline that is cancelled in the middle ends its agents, and starts no further one", async () => {
  const { cadre, server, calls } = await createPipeline(
    prompt({ sub_agents: [{ name: "after", on: "end" }] }),
    { agents: { after: () => null }, script: () => hang },
  );
  const run = await cadre.spawn({ agent: "prompts/prompt.md" });
  await server.hung(1);
  expect(await run.cancel("enough")).toBe(true);
  expect(await run.result()).toMatchObject({ status: "cancelled", failure: { code: "cancelled" } });
  const family = await cadre.tree(run.id);
  expect(family.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  expect(calls).toEqual([]);
  await server.released();
});

describe("a stopped pipeline keeps its earlier results", () => {
  const inputs = ["one", "two"];
  const given = {
    agents: { first: () => ({ agent_result: 1 }) },
    script: ({ task }: { task: string }) => (task.includes("one") ? "done" : hang),
  };
  const text = prompt({ sub_agents: ["first"], inputs, input_concurrency: 1 });
  const kept = {
    text: "done",
    output: {
      responses: [{ text: "done", input: "one" }],
      sub_agents: [{ event: "start", agent_result: 1, success: true }],
    },
  };

  test("when it is cancelled", async () => {
    const { cadre, server } = await createPipeline(text, given);
    const run = await cadre.spawn({ agent: "prompts/prompt.md" });
    await server.hung(1);
    await run.cancel("enough");
    expect(await run.result()).toMatchObject({ status: "cancelled", ...kept });
  });

  test("at its timeout", async () => {
    const { run } = await createPipeline(text, given);
    expect(await run({ timeoutSeconds: 1 })).toMatchObject({ status: "timed-out", ...kept });
  });
});
