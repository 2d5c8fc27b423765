import { describe, expect, test } from "vitest";
import { createPipeline, promptFileOf } from "../../fixtures/pipeline/pipeline-project.ts";

const lua = (title: string, code: string): string => `# ${title}\n\`\`\`lua\n${code}\n\`\`\`\n`;
const changesOne = lua("Output", 'return { coder_params = { note = "changed" } }');
const pack = ".aipack/custom/my/pack";

describe("an agent of an AIPack pack in a pipeline", () => {
  test.each([
    ["by reference", "my@pack/change", {}, "kept"],
    ["by path", `./${pack}/change.aip`, {}, "kept"],
    ["with merge_params: false", "my@pack/change", { merge_params: false }, undefined],
    ["outside of packs", "./change.aip", {}, undefined],
  ])(
    "returns the parameters it changes, and the others stay: %s",
    async (_, name, options, kept) => {
      const params = { sub_agents: [{ name, options }, "look"], mine: "kept" };
      const { run, calls } = await createPipeline(promptFileOf(params), {
        options: { trust: true },
        agents: { look: () => undefined },
        files: { [`${pack}/change.aip`]: changesOne, "change.aip": changesOne },
      });
      expect(await run()).toMatchObject({ status: "succeeded" });
      expect(calls[0]?.coder_params).toMatchObject({ note: "changed" });
      expect(calls[0]?.coder_params["mine"]).toBe(kept);
    },
  );

  test("redoes the coder, with separate steps in each round", async () => {
    const loop = `
      local count = value_or(input.coder_redo_count, 0)
      if input.event == "start" then return { coder_prompt = input.coder_prompt .. " Round " .. count } end
      return { coder_redo = count < 2, agent_result = #input.coder_responses }`;
    const params = { sub_agents: [{ name: "my@pack/loop", on: ["start", "end"] }] };
    const { run, server, cadre } = await createPipeline(promptFileOf(params, "Go."), {
      options: { trust: true },
      files: { [`${pack}/loop.aip`]: lua("Output", loop) },
      script: ({ task }) => `did: ${task}`,
    });
    const result = await run();
    expect(result).toMatchObject({ status: "succeeded", text: "did: Go. Round 2", warnings: [] });
    expect(server.turns.map(({ task }) => task)).toEqual([
      "Go. Round 0",
      "Go. Round 1",
      "Go. Round 2",
    ]);
    expect((result.output as { responses: unknown[] }).responses).toHaveLength(3);
    const steps = (await cadre.tree(result.runId)).map(({ parentStep }) => parentStep);
    expect(new Set(steps).size).toBe(10);
    expect(steps).toContain("pipeline/redo-2/task-0/coder");
  });
});
