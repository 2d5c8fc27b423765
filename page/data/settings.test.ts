import { expect, test } from "vitest";
import { createSpec } from "../../test/fixtures/run-spec.ts";
import { compareSettings, listSettings } from "./settings.ts";

test("settings say where they are from, and what differs between two runs", () => {
  const one = createSpec("a", { model: "openai:gpt", reasons: { model: "the call" } });
  expect(listSettings(one)[0]).toEqual({ name: "model", value: "openai:gpt", from: "the call" });
  const other = createSpec("b", { model: "openai:gpt", budget: { tokens: 5 }, task: "do more" });
  expect(compareSettings(one, other)).toEqual([
    { name: "task", values: ["do it", "do more"] },
    { name: "budget", values: ["–", "tokens 5"] },
  ]);
  expect(compareSettings(one, { ...one, id: "c" })).toEqual([]);
});
