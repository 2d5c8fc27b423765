import { describe, expect, test } from "vitest";
import { builtInAliases } from "../model-reference.ts";
import { contextSizeOf } from "./context-size.ts";
import { findLargerModels } from "./larger-models.ts";

describe("the context size of a model", () => {
  test.each([
    ["anthropic:claude-sonnet-4-5-20250929", 200_000],
    ["anthropic:claude-opus-4-6", 1_000_000],
    ["openai:gpt-5-mini", 272_000],
    ["openai:gpt-6.1-sol", 922_000],
    ["openai:o3", 200_000],
    ["google:models/gemini-2.5-flash", 1_048_576],
    ["openrouter:anthropic/claude-sonnet-4.5", 200_000],
    ["openrouter:anthropic/claude-sonnet-4.6", 1_000_000],
    ["amazon-bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000],
    ["vertex:claude-haiku-4-5@20251001", 200_000],
  ])("is known by its name: %s", (id, contextTokens) => {
    expect(contextSizeOf(id)).toEqual({ contextTokens });
  });

  test("is known for every alias", () => {
    for (const id of Object.values(builtInAliases)) {
      expect(contextSizeOf(id).contextTokens).toBeGreaterThan(200_000);
      expect(contextSizeOf(id).isContextAssumed).toBeUndefined();
    }
  });

  test.each([
    ["vllm:qwen", 32_768],
    ["lmstudio:gpt-oss-20b", 32_768],
    ["local:constructor", 32_768],
    ["openai:some-model", 128_000],
    ["host:sampling", 128_000],
  ])("is assumed for an unknown name: %s", (id, contextTokens) => {
    expect(contextSizeOf(id)).toEqual({ contextTokens, isContextAssumed: true });
  });

  test("is the configured one, by full or bare id", () => {
    expect(contextSizeOf("vllm:qwen", { contextTokens: { "vllm:qwen": 5 } })).toEqual({
      contextTokens: 5,
    });
    expect(contextSizeOf("vllm:qwen", { contextTokens: { qwen: 5 } })).toEqual({
      contextTokens: 5,
    });
    expect(contextSizeOf("anthropic:claude-x", { contextTokens: { "claude-x": 5 } })).toEqual({
      contextTokens: 5,
    });
    const settings = { contextTokens: { qwen: 5 }, endpoints: { vllm: { contextTokens: 7 } } };
    expect(contextSizeOf("vllm:qwen", settings)).toEqual({ contextTokens: 5 });
    expect(contextSizeOf("vllm:llama", settings)).toEqual({ contextTokens: 7 });
  });
});

describe("models for a request that is too long", () => {
  test("are one of each provider with a large enough model, the same provider first", () => {
    expect(findLargerModels(300_000, "openai:gpt-5").map(({ id }) => id)).toEqual([
      builtInAliases["gpt"],
      builtInAliases["sonnet"],
      builtInAliases["gemini"],
    ]);
    expect(findLargerModels(900_000, "openai:gpt-5").map(({ id }) => id)).toEqual([
      builtInAliases["sonnet"],
      builtInAliases["gemini"],
    ]);
  });

  test("are none if no model is large enough", () => {
    expect(findLargerModels(2_000_000, "openai:gpt-5")).toEqual([]);
  });
});
