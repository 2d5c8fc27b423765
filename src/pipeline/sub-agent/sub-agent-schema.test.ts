import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { compileSchema } from "../../source/schema/json-schema.ts";
import { subAgentOutputSchema } from "./sub-agent-schema.ts";
import { readOutput } from "./sub-agent-output.ts";

const compiled = compileSchema(subAgentOutputSchema);
const problemsOf = (output: unknown): readonly string[] =>
  "check" in compiled ? compiled.check(output) : [compiled.problem];
const isRead = (output: unknown): boolean => readOutput(output, "a").kind !== "invalid";

const texts: readonly JsonValue[] = [
  "",
  " ",
  "x",
  "start",
  "end",
  "a::b",
  "task::end",
  "a::",
  "::a",
];
const samples: readonly JsonValue[] = [
  null,
  true,
  0,
  1.5,
  65,
  {},
  { a: 1 },
  [],
  ...texts,
  "x".repeat(201),
  `a::${"x".repeat(200)}`,
  ...texts.map((text) => [text]),
  [1],
  [[]],
  [["x"], ["x", ""]],
  [{ name: "b" }],
];
const fields = Object.keys(subAgentOutputSchema["properties"] as JsonObject);
const parameters = ["agent", "model", "base_dir", "inputs", "input_concurrency", "sub_agents"];
const globs = ["context_globs", "knowledge_globs_pre", "input_globs", "max_files_size_kb", "mine"];
const entryFields = ["name", "enabled", "on", "options", "stage_pre", "stage_post", "coder_stage"];
const nested: Readonly<Record<string, (key: string, value: JsonValue) => JsonObject>> = {
  "a parameter": (key, value) => ({ coder_params: { [key]: value } }),
  "an entry": (key, value) => ({ sub_agents_next: [{ name: "b", [key]: value }] }),
  "an option": (key, value) => ({ sub_agents_next: [{ name: "b", options: { [key]: value } }] }),
};

describe("the schema of outputs refuses everything the reader refuses:", () => {
  test.each([
    ...fields.map((field): [string, (value: JsonValue) => JsonObject] => [
      `\`${field}\``,
      (value) => ({ [field]: value }),
    ]),
    ...(
      [
        ["a parameter", [...parameters, ...globs]],
        ["an entry", [...entryFields, "kept"]],
        ["an option", ["merge_params", "model", "temperature", "mine"]],
      ] as const
    ).flatMap(([kind, keys]) =>
      keys.map((key): [string, (value: JsonValue) => JsonObject] => [
        `${kind} \`${key}\``,
        (value) => nested[kind]?.(key, value) ?? {},
      ]),
    ),
  ])("%s", (_, outputOf) => {
    const outputs = samples.map(outputOf);
    const missed = outputs.filter((output) => !isRead(output) && problemsOf(output).length === 0);
    expect(missed).toEqual([]);
  });
});

describe("the schema of outputs accepts", () => {
  const next = [{ name: "b", enabled: null, on: null, options: { model: null } }, "c"];
  test.each<[string, JsonObject]>([
    ["nothing at all", {}],
    ["null for every field", Object.fromEntries(fields.map((field) => [field, null]))],
    ["null for a parameter", { coder_params: { context_globs: null, model: null } }],
    ["null for what an entry may leave out", { sub_agents_next: next }],
    ["a prompt, and null for prompts", { coder_prompt: "x", coder_prompts: null }],
    [
      "events of both kinds to subscribe to",
      { sub_agents_next: [{ name: "b", on: ["end", "a::b"] }] },
    ],
  ])("%s, like the reader", (_, output) => {
    expect(problemsOf(output)).toEqual([]);
    expect(isRead(output)).toBe(true);
  });

  test("only one of `coder_prompt` and `coder_prompts`", () => {
    expect(problemsOf({ coder_prompt: "x", coder_prompts: ["y"] })).toEqual([
      'coder_prompt: expected null, got "x"',
    ]);
  });
});
