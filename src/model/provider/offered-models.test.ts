import { expect, test } from "vitest";
import { builtInAliases } from "../model-reference.ts";
import { offerModels } from "./offered-models.ts";

test("configured aliases are offered, and built-in ones whose provider has a key", () => {
  expect(offerModels({}, {})).toEqual([]);
  expect(offerModels({ own: "vllm:qwen" }, { OPENAI_API_KEY: " " })).toEqual([
    { alias: "own", model: "vllm:qwen" },
  ]);
  const offered = offerModels({ sonnet: "vllm:qwen" }, { ANTHROPIC_API_KEY: "k" });
  expect(offered).toContainEqual({ alias: "haiku", model: builtInAliases["haiku"] });
  expect(offered.filter(({ alias }) => alias === "sonnet")).toEqual([
    { alias: "sonnet", model: "vllm:qwen" },
  ]);
  expect(offered.some(({ alias }) => alias === "gpt")).toBe(false);
});
