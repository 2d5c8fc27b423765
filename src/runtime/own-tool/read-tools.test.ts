import { jsonSchema, tool as sdkTool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readTools } from "./read-tools.ts";

const tool = { name: "act", description: "acts", execute: () => "done" };
const sdk = sdkTool({ description: "acts", inputSchema: z.object({}), execute: () => "done" });
const plain = { "~standard": { version: 1, vendor: "plain", validate: () => ({ value: 1 }) } };
const sdkInput = (schema: object) => ({ ...sdk, inputSchema: schema });

/** The problems with `given`. */
async function problemsOf(given: unknown, others: readonly string[] = []): Promise<string[]> {
  const error: unknown = await readTools(given, others).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "config-invalid" });
  const [head, ...lines] = String(error).split("\n- ");
  expect(head).toBe("CadreError: The tools given to Cadre are not valid:");
  return lines;
}

describe("tools of a program", () => {
  test.each<[string, unknown]>([
    ["a list", [tool]],
    ["a set", { act: tool }],
    [
      "a set of tools without their own names",
      { act: { description: "acts", execute: tool.execute } },
    ],
    ["a list of sets", [{ act: sdk }]],
    ["a set of the AI SDK", { act: sdk }],
  ])("are read from %s", async (_, given) => {
    const [read, ...others] = await readTools(given, []);
    expect(read).toMatchObject({ name: "act", description: "acts", access: "execute" });
    expect(others).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ["no list", "act", 'expected a list of tools, or an object of tools by name; got "act"'],
    [
      "one tool",
      tool,
      "expected a list of tools, or an object of tools by name; got an object with other values",
    ],
    ["something else in a list", [7], "expected a tool or an object of tools, got 7"],
    [
      "something else in a set",
      { act: 7 },
      "expected a list of tools, or an object of tools by name; got an object with other values",
    ],
    [
      "a tool of the AI SDK without a name",
      [sdk],
      "a tool of the AI SDK has no name: write `{ NAME: tool({ … }) }`",
    ],
    ["two names", { other: tool }, 'other: the tool under this key is named "act"; use one name'],
    [
      "no code",
      { act: { ...sdk, execute: undefined } },
      "act: it has no `execute`. Cadre runs a tool only by its code",
    ],
    ["no function", [{ ...tool, execute: "x" }], 'act: execute: expected a function, got "x"'],
    ["no description", [{ ...tool, description: "" }], 'act: description: expected text, got ""'],
    [
      "a strange name",
      [{ ...tool, name: "a b" }],
      "a b: name: expected 1 to 64 letters, digits, `_` and `-`",
    ],
    [
      "a misspelt field",
      [{ ...tool, acces: "read" }],
      "act: `acces` is not known. Did you mean `access`?",
    ],
    [
      "a misspelt access",
      [{ ...tool, access: "reads" }],
      'act: access: expected one of none, read, edit, execute, network; got "reads". Did you mean `read`?',
    ],
    [
      "a time limit of days",
      [{ ...tool, timeoutSeconds: 1e6 }],
      "act: timeoutSeconds: expected a number of seconds",
    ],
    [
      "the name of a built-in tool",
      [{ ...tool, name: "READ" }],
      'READ: the name "READ" belongs to Cadre',
    ],
    [
      "the name of an MCP tool",
      [{ ...tool, name: "mcp__a__b" }],
      'mcp__a__b: the name "mcp__a__b" belongs to Cadre',
    ],
    [
      "one name twice",
      [tool, { ...tool, name: "Act" }],
      "Act: another tool has this name; each needs its own",
    ],
  ])("are refused for %s", async (_, given, problem) => {
    expect(await problemsOf(given)).toEqual([expect.stringContaining(problem)]);
  });

  test("are refused with every problem at once, and for a name that was given before", async () => {
    const problems = await problemsOf([tool, { ...tool, name: "other", access: 1 }], ["ACT"]);
    expect(problems).toEqual([
      "act: another tool has this name; each needs its own",
      expect.stringContaining("other: access: expected one of"),
    ]);
  });
});

describe("the input of a tool", () => {
  const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

  test.each<[string, unknown]>([
    ["zod 4", z.object({ city: z.string() })],
    ["JSON Schema", city],
    ["a schema of the AI SDK", jsonSchema(city as never)],
    ["a lazy schema of the AI SDK", () => jsonSchema(Promise.resolve(city as never))],
    [
      "another library with a converter",
      {
        "~standard": {
          version: 1,
          vendor: "other",
          validate: (value: { city?: string }) =>
            value.city === undefined
              ? { issues: [{ message: "is missing", path: [{ key: "city" }] }] }
              : { value },
          jsonSchema: { input: () => ({ $schema: "https://json-schema.org/x", ...city }) },
        },
      },
    ],
  ])("is read from %s", async (_, input) => {
    const [read] = await readTools([{ ...tool, input }], []);
    expect(read?.inputSchema).toMatchObject(city);
    expect(await read?.check({ city: "Bern" })).toEqual({ value: { city: "Bern" } });
    expect(await read?.check({})).toEqual({ problems: [expect.stringMatching(/^city: /)] });
  });

  test.each<[string, object, string]>([
    [
      "a value that JSON does not have",
      z.object({ at: z.date() }),
      "Date cannot be represented in JSON Schema",
    ],
    ["a text instead of an object", z.string(), "it has a schema that is not of the type object"],
    [
      "a choice of objects",
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      "it has a schema that is not of the type object",
    ],
    [
      "a library without a converter",
      plain,
      "the schema library plain does not convert it to JSON Schema",
    ],
    [
      "zod 3",
      { "~standard": { ...plain["~standard"], vendor: "zod" } },
      "it is a schema of zod 3; write it with zod 4",
    ],
    ["an invalid JSON Schema", { type: "objekt" }, "Invalid JSON Schema"],
    [
      "a conversion that fails",
      sdkInput(() => {
        throw new Error("no schema");
      }).inputSchema,
      "no schema",
    ],
  ])("is refused for %s", async (_, input, problem) => {
    const [line] = await problemsOf([{ ...tool, input }]);
    expect(line).toContain("act: its input cannot be expressed as JSON Schema: ");
    expect(line).toContain(problem);
  });
});
