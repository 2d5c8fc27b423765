import { describe, expect, test } from "vitest";
import { readToml } from "./toml.ts";

const text = `# a comment with = and [
sub_agents = [
  "first", # ]
  { name = "second", on = ["start", "x::y"], "a key" = 1 },
]
title = """two
lines"""
a.b.c = 1
[x.y]
k = 'literal'
[[list]]
name = "one"
[[list]]
name = "two"
[list.sub]
v = 1
`;

describe("readToml", () => {
  test("reads values, and dates and numbers that JSON lacks as text", () => {
    const dates = `${text}when = 1979-05-27T07:32:00Z\nnone = nan\nbig = 99999999999999999999\n`;
    const { value, diagnostics } = readToml(dates, "x.md");
    expect(diagnostics).toEqual([]);
    expect(value).toMatchObject({
      sub_agents: ["first", { name: "second", on: ["start", "x::y"], "a key": 1 }],
      title: "two\nlines",
      a: { b: { c: 1 } },
      x: { y: { k: "literal" } },
      list: [
        { name: "one" },
        {
          name: "two",
          sub: { v: 1, when: "1979-05-27T07:32:00.000Z", none: "NaN", big: "99999999999999999999" },
        },
      ],
    });
  });

  test.each([
    [["sub_agents"], 11, 1],
    [["sub_agents", 0], 12, 3],
    [["sub_agents", 1, "on", 1], 13, 37],
    [["sub_agents", 1, "a key"], 13, 46],
    [["title"], 15, 1],
    [["a", "b", "c"], 17, 1],
    [["x", "y", "k"], 19, 1],
    [["list", 1, "name"], 23, 1],
    [["list", 1, "sub", "v"], 25, 1],
    [["list", 1, "missing"], 22, 1],
    [["missing"], 10, 1],
  ] as const)("finds the place of %j in the file", (keys, line, column) => {
    expect(readToml(text, "x.md", 10).positionOf(...keys)).toEqual({ line, column });
  });

  test.each([
    ['"\\U0001F600" = 1', ["😀"], 1],
    ["a = 1\r\n[b]\r\nc = 2", ["b", "c"], 3],
    ["a = {\n  b = 1,\n  c = 2,\n}", ["a", "c"], 3],
    // Not a date; only the parser of the values accepts it.
    ["a = 1979-02-30\nb = 1", ["b"], 1],
  ])("finds a key of %j", (source, keys, line) => {
    expect(readToml(source, "x.md").positionOf(...keys).line).toBe(line);
  });

  test("reports the position of an error", () => {
    const { value, diagnostics } = readToml("a = 1\nb = \n", "x.md", 3);
    expect(value).toBeUndefined();
    expect(diagnostics).toMatchObject([{ path: "x.md", line: 4, code: "toml-invalid" }]);
  });

  test.each([
    ["a key twice", "a = 1\na = 2", 2],
    ["nesting without end", `a = ${"[".repeat(5000)}`, 1],
    ["keys without end", `a${".a".repeat(20_000)} = 1`, 1],
    ["tables without end", `[a${".a".repeat(20_000)}]`, 1],
    ["a text that is too long", `a = "${"x".repeat(300_000)}"`, 1],
  ])("refuses %s", (_, wrong, line) => {
    expect(readToml(wrong, "x.md").diagnostics).toMatchObject([{ line, severity: "error" }]);
  });

  test("keeps a key such as __proto__ an ordinary key", () => {
    const { value } = readToml("__proto__ = { a = 1 }", "x.md");
    expect(Object.keys(value ?? {})).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });
});
