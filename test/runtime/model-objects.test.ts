import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { agentCall, hang, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";
import { scriptedModel } from "../../src/testing.ts";

const says = (name: string, text: string) => scriptedModel(() => ({ text }), { name });
const agent = (name: string, fields: object = {}) => ({
  name,
  description: `plays ${name}`,
  systemPrompt: `You are ${name}.`,
  ...fields,
});

/** A model of version 3. */
const old: LanguageModelV3 = {
  specificationVersion: "v3",
  provider: "house",
  modelId: "old",
  supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: "text", text: "by version 3" }],
    finishReason: { unified: "stop", raw: undefined },
    usage: {
      inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 3, text: 3, reasoning: 0 },
    },
    warnings: [],
  }),
  doStream: () => Promise.reject(new Error("not streamed")),
};

describe("a model as an object", () => {
  test("is given to an agent, an agent added later, an inline agent, a request, or Cadre", async () => {
    const agents = [agent("one", { model: says("one", "by one") })];
    const project = createModelProject();
    const cadre = await project.open({ agents, model: says("default", "by default") });
    cadre.addAgent(agent("two", { model: says("two", "by two") }));
    const inline = agent("three", { model: says("three", "by three") });
    const texts = [
      await cadre.run({ agent: "one", task: "go" }),
      await cadre.run({ agent: "two", task: "go" }),
      await cadre.run({ agent: inline, task: "go" }),
      await cadre.run({ agent: "one", task: "go", model: says("four", "by four") }),
      await cadre.agent("two").run({ task: "go", model: old }),
      await cadre.run({ agent: "main", task: "go" }),
    ].map(({ text }) => text);
    expect(texts).toEqual([
      "by one",
      "by two",
      "by three",
      "by four",
      "by version 3",
      "by default",
    ]);
  });

  test("of version 3 is the default, or an agent's", async () => {
    const cadre = await createModelProject().open({
      model: old,
      agents: [agent("one", { model: old })],
    });
    expect((await cadre.run({ agent: "main", task: "go" })).text).toBe("by version 3");
    const run = await cadre.spawn({ agent: "one", task: "go" });
    expect((await run.result()).text).toBe("by version 3");
    const [created] = await run.journal();
    expect(created).toMatchObject({ spec: { model: "house:old", givenModels: ["house:old"] } });
  });

  test("of a real provider asks that provider, for the run and its sub-agents", async () => {
    const server = await startModelServer(({ agent: name, turn, model }) =>
      name === "main" && turn === 0 ? [agentCall("worker", "part")] : `by ${model}`,
    );
    const project = createModelProject();
    project.writeAgent("worker");
    const lab = createOpenAICompatible({ name: "lab", baseURL: server.baseUrl });
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "main", task: "go", model: lab("qwen") });
    await run.result();
    const runs = await cadre.tree(run.id);
    expect(runs.map(({ model, result }) => [model, result?.text])).toEqual([
      ["lab:qwen", "by qwen"],
      ["lab:qwen", "by qwen"],
    ]);
    // The model belongs to this run: another run cannot name it.
    const other = cadre.run({ agent: "main", task: "go", model: "lab:qwen" });
    await expect(other).rejects.toMatchObject({ code: "model-unavailable" });
  });

  test("serves its own run, also while another run has another object of the same id", async () => {
    const cadre = await createModelProject().open();
    const run = async (text: string) =>
      (await cadre.run({ agent: "main", task: "go", model: says("same", text) })).text;
    const texts = ["a", "b", "c", "d"];
    expect(await Promise.all(texts.map(run))).toEqual(texts);
  });

  test("is needed by a resume, which names it and leaves the run as it is", async () => {
    const server = await startModelServer(({ turn }) => (turn === 0 ? hang : "resumed"));
    const project = createModelProject();
    const lab = () => createOpenAICompatible({ name: "lab", baseURL: server.baseUrl })("qwen");
    const first = await project.open();
    const run = await first.spawn({ agent: "main", task: "go", model: lab() });
    await server.hung(1);
    await first.close({ leaveRuns: true });
    // Credentials for a provider with that name do not replace the object.
    const without = await project.open({ providers: { lab: createAnthropic({ apiKey: "k" }) } });
    await expect(without.resume(run.id)).rejects.toThrow(
      /It uses lab:qwen, given as an object .* createCadre\(\{ models \}\)/,
    );
    expect((await without.find(run.id)).id).toBe(run.id);
    expect(await without.resumable()).toEqual([run.id]);
    await without.close();
    const answering = await startModelServer(() => "resumed");
    const model = createOpenAICompatible({ name: "lab", baseURL: answering.baseUrl })("qwen");
    const second = await project.open({ models: [model] });
    const [resumed] = await second.resume(run.id);
    expect((await resumed?.result())?.text).toBe("resumed");
  });

  test("is named wherever models are named, when Cadre has it", async () => {
    const project = createModelProject();
    project.writeAgent("worker", { model: "house:old" });
    const cadre = await project.open({ models: [old] });
    expect((await cadre.run({ agent: "worker", task: "go" })).text).toBe("by version 3");
    const failing = scriptedModel(() => ({ fault: { kind: "status", status: 401 } }), {
      name: "bad",
    });
    const request = { agent: "main", task: "go", model: failing, fallbacks: ["house:old"] };
    expect((await cadre.run(request)).text).toBe("by version 3");
  });

  test.each([
    [{ ...old, specificationVersion: "v2" }, /v3 or v4\), got specification v2\. Install/],
    [createAnthropic({ apiKey: "k" }), /got a function: call the provider with a model id/],
    [{ ...old, doStream: undefined }, /got one without doStream/],
    [7, /expected/],
  ])("of another kind is refused: %#", async (model, message) => {
    const project = createModelProject();
    const wrong = model as never;
    await expect(project.open({ model: wrong })).rejects.toThrow(message);
    await expect(project.open({ models: [wrong] })).rejects.toThrow(message);
    await expect(project.open({ agents: [agent("one", { model: wrong })] })).rejects.toThrow(
      message,
    );
    const cadre = await project.open();
    const run = cadre.run({ agent: "main", task: "go", model: wrong });
    await expect(run).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(run).rejects.toThrow(message);
  });
});
