import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findJsonProblems } from "./json-problem.ts";

describe("a value that is not JSON", () => {
  test("is reported with all its problems and their paths", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = { again: cycle };
    const value = { a: [1, Number.NaN], b: () => 1, c: new Date(0), d: 1n, cycle, e: [undefined] };
    expect(findJsonProblems(value, "context")).toEqual([
      "context.a[1]: NaN, which JSON does not have",
      "context.b: a function, which JSON does not have",
      "context.c: a Date, not JSON",
      "context.d: a bigint, which JSON does not have",
      "context.cycle.self.again: a cycle: it contains itself",
      "context.e[0]: nothing, where JSON has a value",
    ]);
  });

  test("may be nested too deeply", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200; level += 1) deep = [deep];
    expect(findJsonProblems(deep)).toEqual([expect.stringContaining("nested more than 100 deep")]);
  });

  test("is never reported for JSON, even with the same object twice", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => !findJsonProblems(value).length),
    );
    const shared = { x: 1 };
    expect(findJsonProblems({ a: shared, b: shared, c: undefined })).toEqual([]);
    expect(findJsonProblems(Object.assign(Object.create(null), { a: 1 }))).toEqual([]);
    expect(findJsonProblems(JSON.parse('{"__proto__": {"a": 1}}'))).toEqual([]);
  });
});
