import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { checkSchema, compileSchema } from "./json-schema.ts";

const problemsOf = (schema: JsonObject, value: unknown): readonly string[] => {
  const compiled = compileSchema(schema);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.check(value);
};

describe("a value that does not fit its schema", () => {
  test("has all its problems listed, with their paths, the expected and the given values", () => {
    const schema: JsonObject = {
      type: "object",
      required: ["title", "a/b"],
      additionalProperties: false,
      properties: {
        title: { type: "string" },
        "a/b": {},
        count: { type: "integer", minimum: 1 },
        kind: { enum: ["bug", "idea"] },
        version: { const: 2 },
        files: { type: "array", items: { type: "object", required: ["path"] } },
        size: { type: ["number", "null"] },
        event: { not: { enum: ["start", "end"] } },
        old: { not: {} },
      },
      if: { properties: { count: { type: "integer" } } },
      else: { properties: { kind: { type: "null" } } },
    };
    const shown = { files: [{}, 5], size: [1], old: 1, event: "end", extra: null };
    const value = { count: "two", kind: "x", version: 1, ...shown };
    expect(problemsOf(schema, value)).toEqual([
      'kind: expected null, got "x"',
      "title: expected a value, got nothing",
      "a/b: expected a value, got nothing",
      "extra: expected no such key, got null",
      'count: expected integer, got "two"',
      'kind: expected "bug" or "idea", got "x"',
      "version: expected 2, got 1",
      "files[0].path: expected a value, got nothing",
      "files[1]: expected object, got 5",
      "size: expected number or null, got an array of 1",
      'event: expected anything but "start" or "end", got "end"',
      "old: expected no such key, got 1",
    ]);
  });

  test("has problems of the whole value and of other keywords in the words of the validator", () => {
    expect(problemsOf({ type: "string" }, {})).toEqual([
      "the value: expected string, got an object",
    ]);
    expect(problemsOf({ minimum: 3 }, 2)).toEqual(["the value: must be >= 3, got 2"]);
    expect(problemsOf({ format: "email" }, "x")).toEqual([
      'the value: must match format "email", got "x"',
    ]);
  });

  test("has at most twenty problems listed, without long values", () => {
    const items = Array.from({ length: 50 }, () => "x".repeat(500));
    const problems = problemsOf({ items: { type: "number" } }, items);
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe("… and 30 more");
    expect(problems[0]?.length).toBeLessThan(150);
  });

  test("that none of several alternatives accepts has one problem when each expects another value or type", () => {
    expect(
      problemsOf({ anyOf: [{ type: "string" }, { enum: [1, 2] }, { const: null }] }, 3),
    ).toEqual(["the value: expected string or 1 or 2 or null, got 3"]);
    const required = { anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    expect(problemsOf(required, {})).toHaveLength(3);
  });

  test("needs an own property for a required one, not an inherited one", () => {
    expect(problemsOf({ required: ["constructor"] }, {})).toHaveLength(1);
  });
});

describe("a schema", () => {
  test("is read in the draft that it names, else in draft 2020-12", () => {
    const tuple = { items: [{ type: "string" }] };
    const old = { $schema: "http://json-schema.org/draft-07/schema#", ...tuple };
    expect(problemsOf(old, [1])).toHaveLength(1);
    expect(problemsOf({ prefixItems: [{ type: "string" }] }, [1])).toHaveLength(1);
    const now = { $schema: "https://json-schema.org/draft/2020-12/schema", ...tuple };
    expect(checkSchema(now)).toContain("items: expected object or boolean, got an array of 1");
  });

  test.each([
    ["nothing", undefined, "Expected a JSON Schema"],
    ["a list", [], "Expected a JSON Schema"],
    ["a type there is not", { type: "strin" }, "type: "],
    ["a broken pattern", { pattern: "(" }, "Invalid regular expression"],
    ["a reference to another place", { $ref: "http://127.0.0.1:9/x.json" }, "can't resolve"],
    ["a reference to nothing", { $ref: "#/$defs/none" }, "can't resolve"],
    ["an asynchronous check", { $async: true }, "$async"],
    ["too much", { description: "x".repeat(300_000) }, "at most 262144 characters"],
  ])("that is %s is refused with a reason", (_, schema, reason) => {
    expect(checkSchema(schema)).toContain(reason);
  });

  test("with an unknown type has one problem, on one line", () => {
    const problem = checkSchema({ properties: { a: { type: "strin" } } });
    expect(problem).toMatch(
      /^Invalid JSON Schema: properties\.a\.type: expected "array" or .* or array, got "strin"$/,
    );
  });

  test("that is valid has no problem, even with the names of another schema", () => {
    const named = { $defs: { part: { $id: "http://x/part", type: "string" } } };
    expect(checkSchema({ ...named, $ref: "http://x/part" })).toBeUndefined();
    expect(checkSchema({ ...named, $ref: "http://x/part" })).toBeUndefined();
    expect(checkSchema({ $ref: "http://x/part" })).toContain("can't resolve");
    expect(checkSchema({})).toBeUndefined();
  });

  test("that contains itself is refused", () => {
    const cycle: Record<string, unknown> = {};
    cycle["properties"] = { cycle };
    expect(checkSchema(cycle)).toContain("Invalid JSON Schema");
  });

  test("that is nested too deeply is refused, and such a value cannot be checked", () => {
    let schema: JsonObject = {};
    for (let depth = 0; depth < 20_000; depth += 1) schema = { not: schema };
    expect(checkSchema(schema)).toContain("Invalid JSON Schema");
    let value: unknown = null;
    for (let depth = 0; depth < 50_000; depth += 1) value = [value];
    expect(problemsOf({ items: { $ref: "#" } }, value)).toEqual([
      "the value cannot be checked: Maximum call stack size exceeded",
    ]);
  });

  test("with an endless expression is stopped", () => {
    const problems = problemsOf({ pattern: "^(a+)+$" }, `${"a".repeat(60)}!`);
    expect(problems).toEqual([
      "the value takes too long to check against its schema: make it shorter",
    ]);
    expect(problemsOf({ pattern: "^a+$" }, "aaa")).toEqual([]);
  });
});
