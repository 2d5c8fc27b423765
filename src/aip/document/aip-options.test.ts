import { expect, test } from "vitest";
import { chooseAipModel, optionsForLua, readAipOptions } from "./aip-options.ts";

const aliases = { fast: "gpt-small", own: "openai:gpt-x-low", "own-high": "big" };

test.each([
  ["fast", { model: "gpt-small" }, "gpt-small"],
  ["fast-high", { model: "gpt-small", effort: "high" }, "gpt-small-high"],
  ["own", { model: "openai:gpt-x-low" }, "openai:gpt-x-low"],
  ["own-max", { model: "openai:gpt-x-low", effort: "high" }, "openai:gpt-x-low-max"],
  ["own-high", { model: "big" }, "big"],
  ["claude-opus-minimal", { model: "claude-opus", effort: "low" }, "claude-opus-minimal"],
  ["openai::gpt-5-medium", { model: "openai:gpt-5", effort: "medium" }, "openai::gpt-5-medium"],
  ["scripted:replies-high", { model: "scripted:replies-high" }, "scripted:replies-high"],
])("the model %s", (model, chosen, resolved) => {
  const options = { model, model_aliases: aliases };
  expect(chooseAipModel(options)).toEqual(chosen);
  expect(optionsForLua(options)["resolved_model"]).toBe(resolved);
});

test("options without a model choose none", () => {
  expect(chooseAipModel({ model_aliases: aliases })).toBeUndefined();
  expect(optionsForLua({ temperature: 1 })).toEqual({ temperature: 1 });
});

test("an input_concurrency of 0 counts as 1", () => {
  expect(readAipOptions({ input_concurrency: 0 })).toEqual({
    options: { input_concurrency: 1 },
    problems: [],
  });
  expect(readAipOptions({ input_concurrency: -1, top_p: 1 })).toMatchObject({
    options: { top_p: 1 },
    problems: [{ key: "input_concurrency" }],
  });
});
