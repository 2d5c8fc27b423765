import * as fc from "fast-check";
import { expect, test } from "vitest";
import { samples } from "../../../test/is-long.ts";
import { anyCharacter } from "../../../test/any-character.ts";
import { type Frontmatter, readFrontmatter, splitFrontmatter } from "./frontmatter.ts";

const known = new Set(["name", "description", "tools", "model", "color"]);

function read(header: string): Frontmatter {
  return readFrontmatter(`---\n${header}\n---\nbody`, "/f.md", known);
}

test("frontmatter and body are split, with their lines", () => {
  expect(splitFrontmatter("---\na: 1\n---\n\ntext")).toEqual({
    kind: "found",
    header: "a: 1",
    headerLine: 2,
    body: "\ntext",
    bodyLine: 4,
  });
});

test("a byte-order mark, Windows line ends, blank lines before and spaces after a fence are accepted", () => {
  const { data, body } = readFrontmatter(
    "\u{FEFF}\r\n--- \r\nname: a\r\n---\t\r\ntext\r\n",
    "/f.md",
    known,
  );
  expect(data).toEqual({ name: "a" });
  expect(body).toBe("text\n");
});

test("prose has no data, even when it begins with a horizontal rule", () => {
  for (const text of ["", "# Title\n", "---\n\nprose\n", "text\n---\nname: a\n---\n"]) {
    expect(readFrontmatter(text, "/f.md", known), text).toMatchObject({
      data: null,
      diagnostics: [],
    });
  }
});

test("empty frontmatter has no fields", () => {
  expect(readFrontmatter("---\n---\ntext", "/f.md", known)).toMatchObject({
    data: {},
    body: "text",
  });
});

test("frontmatter without an end is an error at its beginning, and its fields are still read", () => {
  const { data, diagnostics, body } = readFrontmatter(
    "---\nname: a\ntools: Read\n\n# Title\n",
    "/f.md",
    known,
  );
  expect(data).toEqual({ name: "a", tools: "Read" });
  expect(body).toContain("# Title");
  expect(diagnostics).toMatchObject([{ severity: "error", code: "frontmatter-unclosed", line: 1 }]);
});

test("a list or plain text instead of fields is an error", () => {
  for (const header of ["- a\n- b", "just text", "42"]) {
    expect(read(header).diagnostics, header).toMatchObject([
      { severity: "error", code: "frontmatter-not-a-map", line: 2 },
    ]);
  }
});

test("a header that is too long is refused", () => {
  expect(read(`a: ${"x".repeat(70_000)}`).diagnostics).toMatchObject([
    { code: "frontmatter-too-large" },
  ]);
});

test("a repeated key is a warning, and the last one is used", () => {
  const { data, diagnostics } = read("name: a\nname: b");
  expect(data).toEqual({ name: "b" });
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "duplicate-key", line: 3 }]);
});

test("an unquoted description with colons is read, with a warning that has its position and correction", () => {
  const { data, diagnostics } = read(
    'name: a\ndescription: Use it when: the user says "go"\ntools: Read',
  );
  expect(data).toEqual({
    name: "a",
    description: 'Use it when: the user says "go"',
    tools: "Read",
  });
  expect(diagnostics).toMatchObject([
    { severity: "warning", code: "yaml-invalid", line: 3, column: 14 },
  ]);
  expect(diagnostics[0]?.fix).toBe('Write `description: "Use it when: the user says \\"go\\""`');
});

test("a description over several lines that look like keys stays one description", () => {
  const description = [
    "Use it for reviews. Examples:",
    "<example>",
    "Context: the user wrote code.",
    'user: "Is this right: a or b?"',
    'assistant: "I will look."',
    "</example>",
  ];
  const { data } = read(
    `name: a\ndescription: ${description.join("\n")}\ntools: Read, Grep\nmodel: sonnet`,
  );
  expect(data).toEqual({
    name: "a",
    description: description.join("\n"),
    tools: "Read, Grep",
    model: "sonnet",
  });
});

test("values that begin with a special character of YAML are read literally", () => {
  for (const value of [
    "@reviewer helps",
    "`code` first",
    "*all* of it",
    "%done",
    "!important",
    "&more text",
    "*",
  ]) {
    const { data, diagnostics } = read(`name: a\ndescription: ${value}`);
    expect(data, value).toEqual({ name: "a", description: value });
    expect(diagnostics, value).toMatchObject([{ severity: "warning", line: 3 }]);
  }
});

test("an unclosed list, a list of items and a block of text are read despite an error elsewhere", () => {
  const { data } = read(
    "name: a: b\ntools: [Read, 'Grep'\ndescription: |\n  One: two\n  three\nskills:\n  - x\n  - \"y\"",
  );
  expect(data).toEqual({
    name: "a: b",
    tools: ["Read", "Grep"],
    description: "One: two\nthree\n",
    skills: ["x", "y"],
  });
});

test("tabs as indentation are read", () => {
  expect(read("name: a\ntools:\n\t- Read\n\t- Grep").data).toEqual({
    name: "a",
    tools: ["Read", "Grep"],
  });
  expect(read("name: a\ndescription: |\n\tOne: two\n\tthree").data).toEqual({
    name: "a",
    description: "One: two\nthree",
  });
});

test("quotes are removed only when they enclose the whole value", () => {
  expect(read('name: a: b\ndescription: "one" and "two"').data?.description).toBe(
    '"one" and "two"',
  );
  expect(read("description: 'it''s: fine'\nname: a: b").data?.description).toBe("it's: fine");
});

test("an invalid key of the prototype is an ordinary key", () => {
  const { data } = read("__proto__: a: b\nname: x");
  expect(Object.keys(data ?? {})).toEqual(["__proto__", "name"]);
  expect(data?.name).toBe("x");
});

const line = fc.oneof(
  fc.constantFrom(
    "---",
    "name: a",
    "description: Use: it <example>",
    "tools: [Read, Grep",
    "  - item",
    '\tuser: "x"',
    "description: |",
    "&a *a",
    "key: &a [*a]",
    "__proto__: x",
    '"',
    "",
  ),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
);
const anyText = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));

test("for any text, reading never throws and every finding is inside the file", () => {
  fc.assert(
    fc.property(anyText, fc.boolean(), (rest, isOpened) => {
      const text = isOpened ? `---\n${rest}` : rest;
      const lines = text
        .replace(/^\u{FEFF}/u, "")
        .replace(/\r\n?/g, "\n")
        .split("\n");
      const { diagnostics, data, positionOf, bodyLine } = readFrontmatter(text, "/f.md", known);
      const positions = [...diagnostics, ...Object.keys(data ?? {}).map((key) => positionOf(key))];
      for (const position of positions) {
        expect(position.line).toBeGreaterThanOrEqual(1);
        expect(position.line).toBeLessThanOrEqual(lines.length);
        expect(position.column).toBeGreaterThanOrEqual(1);
        expect(position.column).toBeLessThanOrEqual((lines[position.line - 1] ?? "").length + 1);
      }
      expect(bodyLine).toBeLessThanOrEqual(lines.length);
    }),
    { numRuns: samples(1500) },
  );
});

test("splitting keeps every line of the file, in header or body", () => {
  fc.assert(
    fc.property(anyText, (rest) => {
      const text = `---\nname: a\n${rest}\n---\nbody`;
      const { header, body, headerLine, bodyLine, kind } = splitFrontmatter(text);
      const lines = text.replace(/\r\n?/g, "\n").split("\n");
      expect(kind).toBe("found");
      expect(header.split("\n")).toEqual(lines.slice(headerLine - 1, bodyLine - 2));
      expect(body).toBe(lines.slice(bodyLine - 1).join("\n"));
    }),
    { numRuns: samples(500) },
  );
});

test("the correction of text that needs quotes is the quoted line, which reads as the same text", () => {
  for (const text of [
    "Use it when: asked",
    `Long: ${"words ".repeat(400)}`.trim(),
    'Says "a": b: c',
  ]) {
    const [finding] = read(`name: a\ndescription: ${text}`).diagnostics;
    const quoted = /^Write `(.*)`$/s.exec(finding?.fix ?? "")?.[1] ?? "";
    expect(quoted).not.toContain("\n");
    const { data, diagnostics } = read(`name: a\n${quoted}`);
    expect(data).toEqual({ name: "a", description: text });
    expect(diagnostics).toEqual([]);
  }
});
