import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3, ProviderV3 } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import type { CadreOptions } from "../../../src/index.ts";
import { agentCall, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

type Providers = NonNullable<CadreOptions["providers"]>;

test("a model of a given provider can be named in an agent file, on spawn, and by an agent", async () => {
  const server = await startModelServer(({ agent, turn, model }) =>
    agent === "main" && turn === 0 ? [agentCall("worker", "part")] : `answered by ${model}`,
  );
  const project = createModelProject();
  project.writeAgent("worker", { model: "House:small" });
  const { baseUrl } = server;
  const house = createOpenAICompatible({ name: "house", baseURL: baseUrl, apiKey: "k" });
  const cadre = await project.open({ providers: { house }, model: "house:default" });
  const run = await cadre.spawn({ agent: "main", task: "go", model: "house:org/big:free" });
  expect(await run.result()).toMatchObject({ text: "answered by org/big:free" });
  const models = (await cadre.tree(run.id)).map(({ agent, result }) => [agent, result?.text]);
  expect(models).toEqual([
    ["main", "answered by org/big:free"],
    ["worker", "answered by small"],
  ]);
  const other = await cadre.spawn({ agent: "main", task: "go" });
  expect(await other.result()).toMatchObject({ text: "answered by default" });
  // A run names its model by the provider's name, so another Cadre with that provider continues it.
  const [created] = await run.journal();
  expect(created).toMatchObject({ spec: { model: "house:org/big:free" } });
});

test("a given provider takes the place of the built-in one of its name, with its aliases", async () => {
  const server = await startModelServer(({ model }) => `answered by ${model}`);
  const anthropic = createOpenAICompatible({ name: "mine", baseURL: server.baseUrl });
  const cadre = await createModelProject().open({ providers: { anthropic }, model: "sonnet" });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  expect((await run.result()).text).toMatch(/^answered by claude-sonnet-/);
});

test("a provider of version 3 works as one of version 4", async () => {
  const model = (modelId: string): LanguageModelV3 => ({
    specificationVersion: "v3",
    provider: "old",
    modelId,
    supportedUrls: {},
    doGenerate: async ({ prompt }) => ({
      content: [{ type: "text", text: `${modelId} got ${prompt.length} messages` }],
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 3, text: 3, reasoning: 0 },
      },
      warnings: [],
    }),
    doStream: () => Promise.reject(new Error("not streamed")),
  });
  const old: Pick<ProviderV3, "specificationVersion" | "languageModel"> = {
    specificationVersion: "v3",
    languageModel: model,
  };
  const cadre = await createModelProject().open({ providers: { old }, model: "old:one" });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  expect(await run.result()).toMatchObject({
    text: "one got 2 messages",
    usage: { inputTokens: 7, outputTokens: 3 },
  });
});

test("a model that the provider refuses or cannot give is unavailable, with its reason", async () => {
  const refusing: Providers = {
    house: {
      specificationVersion: "v4",
      languageModel(id) {
        if (id === "none") throw new Error("no such model: none");
        return { specificationVersion: "v2" } as never;
      },
    },
  };
  const cadre = await createModelProject().open({ providers: refusing });
  const spawn = async (model: string): Promise<unknown> =>
    await cadre.spawn({ agent: "main", task: "go", model });
  await expect(spawn("house:none")).rejects.toMatchObject({
    code: "model-unavailable",
    message: expect.stringContaining("refused it: no such model: none"),
  });
  await expect(spawn("house:old")).rejects.toThrow(
    "to return a language model of specification v3 or v4; it returned specification v2",
  );
  await expect(spawn("hous:e")).rejects.toThrow(/Known providers: .*ollama, mock, house/);
});
