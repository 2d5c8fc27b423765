import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, test } from "vitest";
import { createModels, type ModelsConfig } from "../../model/provider/create-models.ts";
import { createModelObjects } from "./model-objects.ts";
import { createModelResolver, type ModelResolver } from "./model-resolver.ts";

function resolverOf(
  options: Parameters<typeof createModelResolver>[2],
  config: ModelsConfig = {},
): ModelResolver {
  const models = createModels({ environment: {}, config });
  return createModelResolver(models, config, options, createModelObjects());
}

const apiKey = "none";
const claude = createAnthropic({ apiKey })("claude-sonnet-4-5");
const local = createOpenAICompatible({ name: "lab", baseURL: "http://127.0.0.1:1/v1" })("qwen");

describe("a model given as an object", () => {
  test.each([
    [claude, { id: "anthropic:claude-sonnet-4-5", contextTokens: 200_000, price: { input: 3 } }],
    [
      createOpenAI({ apiKey })("gpt-5-mini"),
      { id: "openai:gpt-5-mini", contextTokens: 272_000, price: { output: 2 } },
    ],
    [
      createOpenAI({ apiKey }).chat("gpt-4.1"),
      { id: "openai:gpt-4.1", contextTokens: 1_047_576, price: { input: 2 } },
    ],
    [
      createGoogle({ apiKey })("gemini-2.5-pro"),
      { id: "google:gemini-2.5-pro", contextTokens: 1_048_576, price: { input: 1.25 } },
    ],
    [local, { id: "lab:qwen", contextTokens: 32_768, isContextAssumed: true, price: null }],
  ])("is known by its id: %#", async (model, expected) => {
    expect(await resolverOf({ model }).resolveDefault()).toMatchObject(expected);
  });

  test("has the values of the options, which override the configuration", async () => {
    const config = { prices: { qwen: priceOf(1) }, contextTokens: { qwen: 1000 } };
    expect(await resolverOf({ model: local }, config).resolveDefault()).toMatchObject({
      contextTokens: 1000,
      price: { input: 1 },
    });
    const price = { input: 2, output: 4 };
    const resolved = resolverOf({ model: local, contextTokens: 2000, price }, config);
    const model = await resolved.resolveDefault();
    expect(model).toMatchObject({ contextTokens: 2000, price: { ...price, cacheRead: 2 } });
    expect(model.isContextAssumed).toBeUndefined();
  });

  test("is found by its reference, and by the name that earlier versions recorded", async () => {
    const resolver = resolverOf({ model: claude });
    const { language } = await resolver.resolve("anthropic:claude-sonnet-4-5");
    expect(language).toBe(claude);
    expect((await resolver.resolve("anthropic.messages:claude-sonnet-4-5")).language).toBe(claude);
    await expect(resolver.resolve("anthropic:claude-haiku-4-5")).rejects.toThrow("needs a key");
  });
});

function priceOf(dollars: number) {
  return { input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars };
}
