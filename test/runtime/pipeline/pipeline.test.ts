import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CompletionCall } from "../../fixtures/chat-completion.ts";
import type { ServerTurn } from "../../fixtures/model-server.ts";
import {
  createPipeline,
  promptFileOf as prompt,
} from "../../fixtures/pipeline/pipeline-project.ts";

const handOver = (input: Record<string, unknown>): CompletionCall[] => [
  { tool: "final_output", input },
];

describe("a prompt file", () => {
  test("runs as one family: programs, prompts and the coder are its children, in order", async () => {
    const sub_agents = ["shape", { name: "judge", on: ["shape::end", "end"] }];
    const { run, cadre, server, project } = await createPipeline(prompt({ sub_agents }), {
      agents: {
        shape: () => ({ coder_prompt: "Fix the lexer.", emit_events: ["shape::end"] }),
      },
      files: { ".cadre/agents/judge.md": "---\nname: judge\ndescription: d\n---\nYou are judge." },
      script: ({ agent, turn }) => {
        if (agent === "judge") return handOver({ agent_result: { verdict: "good" } });
        const input = { file_path: "out.txt", content: "fixed" };
        return turn === 0 ? [{ tool: "Write", input }] : "The lexer is fixed.";
      },
    });
    const result = await run();
    expect(result).toMatchObject({
      status: "succeeded",
      text: "The lexer is fixed.",
      output: {
        files_changed: ["out.txt"],
        responses: [{ text: "The lexer is fixed.", files_changed: ["out.txt"], input: null }],
        sub_agents: [
          { event: "start", success: true },
          { event: "shape::end", agent_result: { verdict: "good" } },
          { event: "end", agent_result: { verdict: "good" } },
        ],
      },
    });
    const family = await cadre.tree(result.runId);
    expect(family.map(({ agent, label }) => [agent, label])).toEqual([
      ["prompts/prompt.md", null],
      ["shape", "start"],
      ["judge", "shape::end"],
      ["main", "coder"],
      ["judge", "end"],
    ]);
    expect(family.slice(1).every(({ parentId }) => parentId === result.runId)).toBe(true);
    const coder = server.turns.find(({ agent }) => agent === "main");
    expect(coder?.task).toBe("Fix the lexer.");
    const judged = server.turns.filter(({ agent }) => agent === "judge");
    expect(judged[0]?.tools).toContain("final_output");
    const [, json = ""] = judged[1]?.task.split("[Input]:\n") ?? [];
    expect(JSON.parse(json)).toMatchObject({
      event: "end",
      coder_prompt_dir: `${project.folder}/prompts`,
      coder_responses: [{ text: "The lexer is fixed." }],
      sub_agents_prev: [{ event: "start" }, { agent_result: { verdict: "good" } }],
    });
  });

  test("gives programs the contract's input beside their task, and applies their output and events", async () => {
    const sub_agents = [
      { name: "first", options: { level: 3 } },
      { name: "second", on: "first::a" },
      { name: "third", on: "first::b" },
    ];
    const { run, calls, project } = await createPipeline(prompt({ sub_agents, color: "red" }), {
      agents: {
        first: (_, { emit, log }) => {
          log("looking");
          emit("first::a");
          return { coder_params: { color: "blue" }, emit_events: ["first::b"], agent_result: 1 };
        },
        second: () => undefined,
        third: () => null,
      },
    });
    expect(await run()).toMatchObject({ status: "succeeded" });
    expect(calls[0]).toEqual({
      task: "Fix the parser.",
      sharedContext: {},
      event: "start",
      coder_prompt_dir: `${project.folder}/prompts`,
      coder_params: { color: "red", context_globs: [], structure_globs: [], knowledge_globs: [] },
      coder_prompt: "Fix the parser.",
      coder_prompts: ["Fix the parser."],
      agent_config: { name: "first", enabled: true, on: ["start"], options: { level: 3 } },
      sub_agents_prev: [],
      sub_agents_next: [
        { name: "second", enabled: true, on: ["first::a"] },
        { name: "third", enabled: true, on: ["first::b"] },
      ],
    });
    expect(calls.slice(1).map(({ event }) => event)).toEqual(["first::a", "first::b"]);
    expect(calls[1]?.coder_params).toMatchObject({ color: "blue" });
    expect(calls[2]?.sub_agents_prev[0]).toMatchObject({ agent_result: 1, success: true });
  });

  test("runs agents by their paths, relative to its own folder or the workspace", async () => {
    const sub_agents = ["near.ts", "tools/far.ts"];
    const agent = "coder.ts";
    const program = (name: string): string =>
      `export default { name: "${name}", description: "d", run: () => ({ agent_result: "${name}" }) };`;
    const { run } = await createPipeline(prompt({ sub_agents, agent }), {
      files: {
        "prompts/coder.ts": `export default { name: "coder", description: "d", run: () => "coded" };`,
        "prompts/near.ts": program("near"),
        "tools/far.ts": program("far"),
      },
      options: { trust: true },
    });
    expect(await run()).toMatchObject({
      text: "coded",
      output: { sub_agents: [{ agent_result: "near" }, { agent_result: "far" }] },
    });
  });

  test("needs no model when all of its agents are code", async () => {
    const agents = { shape: () => ({ coder_prompt: "New." }) };
    const { cadre, run } = await createPipeline(
      prompt({ sub_agents: ["shape"], agent: "coder.ts" }),
      {
        agents,
        files: {
          "prompts/coder.ts": `export default { name: "coder", description: "d", run: ({ task }) => "did: " + task };`,
        },
        options: { trust: true, model: undefined as never },
      },
    );
    const result = await run();
    expect(result).toMatchObject({ status: "succeeded", text: "did: New." });
    expect((await cadre.tree(result.runId)).map(({ model }) => model)).toEqual([null, null, null]);
    await expect(run({ parameters: { agent: "main" } })).rejects.toMatchObject({
      code: "model-unavailable",
    });
  });

  test("runs a task for each input, each with its own coder and events", async () => {
    const params = { inputs: ["a", { b: 1 }], sub_agents: [{ name: "log", on: "task::end" }] };
    const { run, calls, cadre } = await createPipeline(prompt(params), {
      agents: { log: () => undefined },
      script: ({ task }) => (task.includes('"b": 1') ? "did b" : "did a"),
    });
    const result = await run();
    expect(result.text).toBe('## a\n\ndid a\n\n## {"b":1}\n\ndid b');
    const seen = calls.map(({ coder_task, coder_responses }) => [coder_task, coder_responses]);
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual([
      { index: 1, input: { b: 1 } },
      [expect.objectContaining({ text: "did b" })],
    ]);
    const labels = (await cadre.tree(result.runId)).map(({ label }) => label);
    expect(new Set(labels)).toEqual(
      new Set([null, "coder", "coder 2", "task::end", "task::end 2"]),
    );
  });

  test("uses the coder's model, which sub-agents may change, and one that is requested in addition", async () => {
    const models = (turns: readonly ServerTurn[]) => turns.map(({ model }) => model);
    const text = prompt({ model: "mock:first", sub_agents: ["choose"] });
    const keep = await createPipeline(text, { agents: { choose: () => undefined } });
    await keep.run();
    expect(models(keep.server.turns)).toEqual(["first"]);
    await keep.run({ model: "mock:asked" });
    expect(models(keep.server.turns)).toEqual(["first", "asked"]);
    const change = await createPipeline(text, {
      agents: { choose: () => ({ coder_params: { model: "mock:second" } }) },
    });
    await change.run();
    expect(models(change.server.turns)).toEqual(["second"]);
  });

  test("lets no sub-agent choose a model that reads or writes a file, which no permission covers", async () => {
    const model = "record:taken.jsonl=mock:second";
    const outputs = [
      { coder_params: { model } },
      { sub_agents_next: [{ name: "other", on: ["end"], options: { model } }] },
      { sub_agents_next: [{ name: "auto-context", on: ["end"], options: { model } }] },
      { coder_params: { code_map: model }, sub_agents_next: [{ name: "code-map", on: ["end"] }] },
    ];
    for (const output of outputs) {
      const text = prompt({ sub_agents: ["choose"] });
      const { run, project, server } = await createPipeline(text, {
        agents: { choose: () => output },
        options: { trust: true },
        files: {
          ".cadre/agents/other.md": "---\nname: other\ndescription: d\n---\nYou are other.",
          "src/a.ts": "export const a = 1;\n",
        },
      });
      const { failure } = await run();
      expect(failure?.message).toContain("it names a file, which sub-agents must not choose");
      expect(server.turns.map((turn) => turn.model)).not.toContain("second");
      expect(existsSync(join(project.folder, "taken.jsonl"))).toBe(false);
    }
  });

  test("accepts an additional task and parameters, and another coder", async () => {
    const { run, server } = await createPipeline(prompt({ sub_agents: [] }), {
      files: { ".cadre/agents/poet.md": "---\nname: poet\ndescription: d\n---\nYou are poet." },
    });
    await run({ task: "In verse.", parameters: { agent: "poet", context_globs: [] } });
    expect(server.turns).toMatchObject([{ agent: "poet", task: "Fix the parser.\n\nIn verse." }]);
  });
});

test("a pipeline runs as many concurrent tasks as its file says, even more than an agent may have active", async () => {
  const inputs = Array.from({ length: 30 }, (_, index) => index);
  let isOpen = false;
  const goOn = Promise.withResolvers<void>();
  const { run, server } = await createPipeline(prompt({ inputs, input_concurrency: 30 }), {
    options: { limits: { concurrency: 40 } },
    async script({ task }) {
      // All of them arrive before the first one is answered.
      if (server.turns.length === 30) {
        isOpen = true;
        goOn.resolve();
      }
      await goOn.promise;
      return `did ${/\n(\d+)\n<\/input/.exec(task)?.[1]}`;
    },
  });
  const result = await run();
  expect(isOpen).toBe(true);
  expect(result.text.match(/^did \d+$/gm)).toEqual(inputs.map((index) => `did ${index}`));
}, 60_000);
