import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measureCpu } from "../../../test/fixtures/cpu-time.ts";
import { samples } from "../../../test/is-long.ts";
import { readYaml } from "./yaml.ts";

test("values have the position of their key, counted from the first line of the file", () => {
  const { value, positionOf } = readYaml("a: 1\nb:\n  c: x\n  d: [y, z]", "/f", 3);
  expect(value).toEqual({ a: 1, b: { c: "x", d: ["y", "z"] } });
  expect(positionOf("a")).toEqual({ line: 3, column: 1 });
  expect(positionOf("b", "c")).toEqual({ line: 5, column: 3 });
  expect(positionOf("b", "d", 1)).toEqual({ line: 6, column: 10 });
  expect(positionOf("b", "missing")).toEqual({ line: 4, column: 1 });
  expect(positionOf("missing")).toEqual({ line: 3, column: 1 });
});

test("a second document is an error where it begins, unless it is empty", () => {
  const { value, diagnostics } = readYaml("a: 1\n---\n\nb: 2\n---\nc: 3\n", "/f", 3);
  expect(value).toBeUndefined();
  expect(diagnostics).toMatchObject([{ line: 4, column: 1, code: "yaml-documents" }]);
  expect(readYaml("---\na: 1\n---\n# notes\n---\n", "/f")).toMatchObject({
    value: { a: 1 },
    diagnostics: [],
  });
});

test("numbers and booleans have their written form", () => {
  const { value, writtenOf } = readYaml("a: &a 1.10\nb: [True, x, *a, '1.0', null]", "/f");
  expect(value).toEqual({ a: 1.1, b: [true, "x", 1.1, "1.0", null] });
  expect(writtenOf("a")).toBe("1.10");
  const items = [0, 1, 2, 3, 4].map((index) => writtenOf("b", index));
  expect(items).toEqual(["True", undefined, "1.10", undefined, undefined]);
});

test("an alias bomb is stopped", () => {
  const levels = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg"]) {
    levels.push(`${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(",")}]`);
  }
  const { value, diagnostics } = readYaml(`${levels.join("\n")}\nlast: *g`, "/f");
  expect(value).toBeUndefined();
  expect(diagnostics.map(({ code }) => code)).toContain("yaml-too-large");
});

test("an alias to itself and too deep nesting are errors", () => {
  expect(readYaml("a: &a [*a]", "/f").diagnostics).toMatchObject([{ code: "yaml-too-large" }]);
  expect(readYaml(`a: ${"[".repeat(5000)}`, "/f").diagnostics[0]?.severity).toBe("error");
});

test("twenty thousand aliases cost no more than twenty thousand values", async () => {
  const cpuMs = await measureCpu(() => {
    const { diagnostics } = readYaml(`a: &a 1\nb: [${"*a,".repeat(20_000)}]`, "/f");
    expect(diagnostics).toMatchObject([{ code: "yaml-too-large" }]);
  });
  // It takes about 400 ms; a search of the whole document for each anchor takes 7000 ms.
  expect(cpuMs).toBeLessThan(5000);
});

test("a text that is too long is refused before it is parsed", () => {
  expect(readYaml("[".repeat(300_000), "/f").diagnostics).toMatchObject([
    { code: "yaml-too-large" },
  ]);
});

test("an alias refers to the nearest anchor before it", () => {
  const { value } = readYaml("a: &x 1\nb: *x\nc: &x 2\nd: *x", "/f");
  expect(value).toEqual({ a: 1, b: 1, c: 2, d: 2 });
});

test("ordinary aliases work", () => {
  expect(readYaml("a: &x [1]\nb: *x", "/f")).toMatchObject({
    value: { a: [1], b: [1] },
    diagnostics: [],
  });
});

test("a custom tag, an unknown alias and an unused anchor are errors at their position", () => {
  for (const text of ["a: !important b", "a: *b", "a: &b c"]) {
    const { value, diagnostics } = readYaml(text, "/f");
    expect(value, text).toBeUndefined();
    expect(diagnostics, text).toMatchObject([{ code: "yaml-invalid", line: 1 }]);
  }
});

test("keys of the prototype are ordinary keys", () => {
  const { value } = readYaml("__proto__:\n  polluted: true\nconstructor: 1", "/f");
  expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("a repeated key is an error, and the last value is returned", () => {
  const { value, diagnostics } = readYaml("a: 1\na: 2", "/f");
  expect(value).toEqual({ a: 2 });
  expect(diagnostics).toMatchObject([{ code: "duplicate-key", line: 2 }]);
});

test("numbers that JSON cannot represent stay text, and dates are text", () => {
  expect(readYaml("a: .inf\nb: .nan\nc: 2026-01-01", "/f").value).toEqual({
    a: ".inf",
    b: ".nan",
    c: "2026-01-01",
  });
});

test("any JSON is read unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (json) => {
      const text = JSON.stringify(json);
      const { value, diagnostics } = readYaml(text, "/f");
      expect(diagnostics).toEqual([]);
      expect(JSON.stringify(value)).toBe(text);
    }),
    { numRuns: samples(200) },
  );
});

test("JSON as a program writes it has the same values and positions as with an added space", () => {
  const pathsOf = (json: unknown, keys: (string | number)[] = []): (string | number)[][] => {
    const paths = [keys];
    if (typeof json !== "object" || json === null) return paths;
    for (const [key, item] of Object.entries(json)) {
      paths.push(...pathsOf(item, keys.concat(Array.isArray(json) ? Number(key) : key)));
    }
    return paths;
  };
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), (json) => {
      const text = JSON.stringify(json);
      const [written, other] = [readYaml(text, "/f", 3), readYaml(`${text} `, "/f", 3)];
      expect(written.value).toEqual(other.value);
      for (const keys of pathsOf(json)) {
        expect(written.positionOf(...keys)).toEqual(other.positionOf(...keys));
        expect(written.writtenOf(...keys)).toBe(other.writtenOf(...keys));
      }
    }),
  );
});

test("JSON with a repeated key or too deep nesting is refused like YAML", () => {
  expect(readYaml('{"a":1,"a":1}', "/f").diagnostics).toMatchObject([{ code: "duplicate-key" }]);
  const deep = `${"[".repeat(70)}${"]".repeat(70)}`;
  expect(readYaml(deep, "/f").diagnostics).toMatchObject([{ code: "yaml-too-large" }]);
});

test("an error is reported once, with few of its consequences", () => {
  const lines = Array.from({ length: 50 }, (_, index) => `  - { job: ${index} },`);
  const { value, diagnostics } = readYaml(["calls: [", ...lines, "]"].join("\n"), "f.yaml");
  expect(value).toBeUndefined();
  expect(diagnostics.length).toBeGreaterThan(0);
  expect(diagnostics.length).toBeLessThanOrEqual(3);
});
