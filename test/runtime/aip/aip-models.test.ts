import { describe, expect, test } from "vitest";
import { startModelServer } from "../../fixtures/model-server.ts";
import { createPipeline, promptFileOf } from "../../fixtures/pipeline/pipeline-project.ts";
import { createModelProject } from "../../fixtures/project.ts";

const lua = (title: string, code: string): string => `# ${title}\n\`\`\`lua\n${code}\n\`\`\`\n`;

describe("AIPack's names of models", () => {
  const config = '[options.model_aliases]\nquick = "mock:small"\n';
  const describeFor =
    "# Instruction\nHi.\n" +
    lua("Output", "return { agent_result = { options.model, options.temperature } }");

  test.each([
    ["an alias of AIPack's configuration", { model: "quick" }, ["mock:small", undefined]],
    ["with a suffix", { model: "quick-high" }, ["mock:small", "high"]],
    ["an alias of the prompt file", { model: "mine-low" }, ["mock:own", "low"]],
  ])("stand for the coder's model: %s", async (_, asked, [model, effort]) => {
    const params = { ...asked, model_aliases: { mine: "mock:own" } };
    const { run, cadre, server } = await createPipeline(promptFileOf(params), {
      options: { trust: true },
      files: { ".aipack/config.toml": config },
    });
    const { status, runId, warnings } = await run();
    expect({ status, warnings }).toEqual({ status: "succeeded", warnings: [] });
    const [, coder] = await cadre.tree(runId);
    expect(coder).toMatchObject({ label: "coder", model });
    expect(server.turns.map((turn) => turn.effort)).toEqual([effort]);
  });

  test("stand for a sub-agent's model, which an .aip agent finds unchanged in its options", async () => {
    const options = { model: "quick-high", temperature: 0.5 };
    const params = {
      sub_agents: [
        { name: "my@pack/tell", options },
        { name: "helper", options },
      ],
    };
    const { run, server } = await createPipeline(promptFileOf(params), {
      options: { trust: true },
      files: {
        ".aipack/config.toml": config,
        ".aipack/custom/my/pack/tell.aip": describeFor,
        ".cadre/agents/helper.md": "---\nname: helper\ndescription: helps\n---\nYou are helper.\n",
      },
      script: ({ agent }) => (agent === "helper" ? [{ tool: "final_output", input: {} }] : "done"),
    });
    const result = await run();
    expect(result).toMatchObject({ status: "succeeded", warnings: [] });
    const { sub_agents } = result.output as { sub_agents: { agent_result: unknown }[] };
    expect(sub_agents[0]?.agent_result).toEqual(["quick-high", 0.5]);
    const asked = server.turns.map(({ model, effort }) => [model, effort]);
    expect(asked).toEqual([
      ["small", "high"],
      ["small", "high"],
      ["mock", undefined],
    ]);
  });

  test("stand for the model of a built-in agent, as in pro@coder's `auto_context`", async () => {
    const { run, server } = await createPipeline(promptFileOf({ auto_context: "quick-low" }), {
      options: { trust: true },
      files: { ".aipack/config.toml": config, "src/a.ts": "export const a = 1;\n" },
      script: ({ tools }) =>
        tools.includes("final_output")
          ? [
              {
                tool: "final_output",
                input: { context_files: ["src/a.ts"], reason: "it is all there is" },
              },
            ]
          : "done",
    });
    expect(await run()).toMatchObject({ status: "succeeded" });
    const asked = server.turns.map(({ model, effort }) => [model, effort]);
    expect(asked).toEqual([
      ["small", "low"],
      ["mock", undefined],
    ]);
  });

  test("stand for the model of --model, and an alias must not name a file", async () => {
    const { run } = await createPipeline(
      promptFileOf({ model_aliases: { file: "scripted:replies.yaml" } }),
      { options: { trust: true }, files: { ".aipack/config.toml": config } },
    );
    expect(await run({ parameters: {}, model: "quick-high" })).toMatchObject({
      status: "succeeded",
      warnings: [],
    });
    await expect(run({ model: "file" })).rejects.toThrow(
      "Expected a provider's model, got file, which stands for scripted:replies.yaml: an alias of AIPack must not name a file.",
    );
  });

  test("are passed on by aip.agent.run, and stand for the model of the called .aip agent", async () => {
    const code =
      'return aip.agent.run("helper", { input = "x", options = { model = "quick-low" } }).outputs[1]';
    const server = await startModelServer(() => "done");
    const project = createModelProject(server);
    project.write("agent.aip", `# Instruction\nHi.\n${lua("Output", code)}`);
    project.write(".aipack/config.toml", config);
    project.writeAgent("helper");
    const cadre = await project.open({ agentFiles: ["agent.aip"], trust: true });
    const run = await cadre.spawn({ agent: "agent.aip", model: "quick-high" });
    expect(await run.result()).toMatchObject({ text: "done", warnings: [] });
    const asked = server.turns.map(({ model, effort }) => [model, effort]);
    expect(asked).toEqual([
      ["small", "high"],
      ["small", "low"],
    ]);
  });
});
