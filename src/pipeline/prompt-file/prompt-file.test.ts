import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { parsePrompt, readPromptFile } from "./prompt-file.ts";

function parse(text: string): ReturnType<typeof parsePrompt> {
  return parsePrompt(text, "/work/prompt.md");
}

function codes(text: string): string[] {
  return parse(text).diagnostics.map(({ severity, code }) => `${severity} ${code}`);
}

describe("the parameters of a prompt file", () => {
  test("are read from YAML frontmatter", () => {
    const prompt = parse("---\nmodel: sonnet\nsub_agents: [a]\n---\n\nDo it.\n\nWell.\n");
    expect(prompt).toMatchObject({
      params: { model: "sonnet", sub_agents: ["a"] },
      instruction: "Do it.\n\nWell.",
      lines: { model: 2, sub_agents: 3 },
      diagnostics: [],
    });
  });

  test("are read from TOML frontmatter", () => {
    const prompt = parse('+++\nmodel = "sonnet"\n[options]\na = 1\n+++\nDo it.');
    expect(prompt).toMatchObject({
      params: { model: "sonnet", options: { a: 1 } },
      instruction: "Do it.",
      lines: { model: 2, options: 3 },
      diagnostics: [],
    });
  });

  test.each([
    ["toml", '```toml\n#!meta\nmodel = "m"\n```'],
    ["yaml", "```yaml\n#!meta (parametric prompt)\n\nmodel: m\n```"],
    ["yml, in capitals", "``` YML\n#!meta\nmodel: m\n```"],
    ["json", '```json\n//!meta\n{\n\t"model": "m"\n}\n```'],
    ["json with comments", '```jsonc\n//!meta\n{ // the model\n"model": /* " */ "m", }\n```'],
    ["json with the other mark", '```json\n#!meta\n{ "model": "m" }\n```'],
    ["toml with the other mark", '```toml\n//!meta parameters\nmodel = "m"\n```'],
    ["a longer fence", '`````toml\n#!meta\nmodel = "m"\n`````'],
    ["a fence of tildes", "~~~yaml\n#!meta\nmodel: m\n~~~"],
    ["an indented fence", "  ```yaml\n  #!meta\n  model: m\n  ```"],
  ])("are read from a block: %s", (_, block) => {
    expect(parse(`Before.\n\n${block}\n\nAfter.\n`)).toMatchObject({
      params: { model: "m" },
      instruction: "Before.\n\nAfter.",
      diagnostics: [],
    });
  });

  test("of several sources are merged by key, and the last one wins", () => {
    const text = `---
model: one
temperature: 0
deep: { a: 1 }
---
+++
model = "two"
+++
\`\`\`yaml
#!meta
model: three
deep: { b: 2 }
\`\`\`
Do it.
\`\`\`json
#!meta
{ "extra": [1] }
\`\`\`
`;
    const prompt = parse(text);
    expect(prompt.params).toEqual({ model: "three", temperature: 0, deep: { b: 2 }, extra: [1] });
    expect(prompt.instruction).toBe("Do it.");
    expect(prompt.lines).toEqual({ model: 11, temperature: 3, deep: 12, extra: 17 });
    expect(prompt.diagnostics.map(({ severity, line }) => `${severity} ${line}`)).toEqual([
      "info 7",
      "info 11",
      "info 12",
    ]);
  });

  test("may begin with either frontmatter", () => {
    expect(parse("+++\na = 1\n+++\n---\nb: 2\n---\nx").params).toEqual({ a: 1, b: 2 });
  });

  test("that are unknown are kept unchanged", () => {
    expect(parse("---\nwrite_mode: true\nmine: { chat: true }\n---\nx")).toMatchObject({
      params: { write_mode: true, mine: { chat: true } },
      diagnostics: [],
    });
  });

  test("without a value count as absent", () => {
    const text = "---\ncontext_globs:\n  # - all\nmodel:\nsub_agents:\n---\nx";
    expect(parse(text).diagnostics).toEqual([]);
  });
});

test.each([
  ["a task of no globs", { input_globs: [[]] }, "`input_globs[0]` to be a glob or a list of globs"],
  [
    "an invalid glob in a list",
    { working_globs: ["a", ["b", 1]] },
    "`working_globs[1][1]` to be a glob",
  ],
  ["a list in other globs", { context_globs: [["a"]] }, "`context_globs[0]` to be a glob"],
  ["a glob in a list that leads out", { input_globs: [["../a"]] }, "`../a` leads out"],
  [
    "an alias of no model",
    { model_aliases: { quick: 1 } },
    "`model_aliases` to be a table of short names and models",
  ],
  ["write_answer as a text", { write_answer: "yes" }, "`write_answer` to be true or false"],
  [
    "an instance of auto_context",
    { auto_context: 5 },
    "`auto_context`: Expected the name of a model",
  ],
])("%s is an error", (_, params, message) => {
  const { diagnostics } = parsePrompt(`---\n${JSON.stringify(params)}\n---\nx`, "/work/p.md");
  expect(diagnostics).toMatchObject([
    { severity: "error", message: expect.stringContaining(message) },
  ]);
});

describe("the instruction of a prompt file", () => {
  test("is the whole text of a file without parameters", () => {
    const prompt = parse("# Title\n\n- a\n- b\n");
    expect(prompt).toMatchObject({ params: {}, instruction: "# Title\n\n- a\n- b" });
  });

  test("keeps blocks that only resemble parameters", () => {
    const outer = "````markdown\n```yaml\n#!meta\nmodel: x\n```\n````";
    const inner = "```yaml\nmodel: x\n#!meta\n```";
    const word = "```yaml\n#!metadata\nmodel: x\n```";
    for (const text of [outer, inner, word]) {
      expect(parse(text)).toMatchObject({ params: {}, instruction: text, diagnostics: [] });
    }
  });

  test("keeps a block of another language, with a finding", () => {
    const text = "Explain:\n\n```python\n#!meta\nx = 1\n```";
    expect(parse(text)).toMatchObject({ params: {}, instruction: text });
    expect(codes(text)).toEqual(["warning block-language"]);
  });

  test("ends at AIPack's separator line, and a finding counts the rest", () => {
    const text = "Do it.\n\n====\n> notes\n\n```yaml\n#!meta\nmodel: x\n```\n";
    expect(parse(text)).toMatchObject({ params: {}, instruction: "Do it." });
    expect(codes(text)).toEqual(["info below-separator"]);
  });

  test("does not end at a heading underlined with four signs, or inside a block", () => {
    const text = "Head\n====\n\n```\n\n====\n```";
    expect(parse(text).instruction).toBe(text);
  });

  test.each([
    ["---\nmodel: x\n---\n\n---\nmodel: y\n---\nDo.", ["warning frontmatter-second"]],
    ["+++\nmodel = 1\n+++\n+++\nmodel = 2\n+++\nDo.", ["warning frontmatter-second"]],
    ["---\nmodel: x\n---\n\n---\n\nmodel: y\n\n---\nDo.", []],
  ])("keeps a beginning that resembles frontmatter: %j", (text, found) => {
    const { instruction } = parse(text);
    expect(instruction).toMatch(/^(?:---|\+\+\+)\n[\s\S]*Do\.$/);
    expect(codes(text).filter((code) => !code.includes("parameter-shape"))).toEqual(found);
  });

  test("that is missing is a warning, because an agent may give one", () => {
    expect(codes("---\nmodel: m\n---\n")).toEqual(["warning no-instruction"]);
  });
});

describe("an error of a prompt file has a place", () => {
  test.each([
    ["not YAML", "---\na: 1\nb: [\n---\nx", "yaml-invalid", 3],
    ["not TOML", "+++\na = 1\nb =\n+++\nx", "toml-invalid", 3],
    ["not YAML in a block", "x\n\n```yaml\n#!meta\na: 1\nb: [\n```", "yaml-invalid", 6],
    ["not TOML in a block", "x\n\n```toml\n#!meta\na = 1\nb =\n```", "toml-invalid", 6],
    ["not JSON in a block", 'x\n```json\n//!meta\n{\n"a": [}\n```', "yaml-invalid", 5],
    ["a key twice", "---\na: 1\na: 2\n---\nx", "duplicate-key", 3],
    ["YAML frontmatter without end", "---\na: 1\n\nx", "frontmatter-unclosed", 1],
    ["TOML frontmatter without end", "\n+++\na = 1\n\nx", "frontmatter-unclosed", 2],
    ["a block without end", "x\n```toml\n#!meta\na = 1\n", "block-unclosed", 2],
    ["a block without language", "x\n```\n#!meta\na = 1\n```", "block-language", 2],
    ["a list instead of parameters", "x\n```yaml\n#!meta\n- a\n```", "parameters-shape", 4],
    ["a text instead of parameters", "x\n```yaml\n#!meta\njust text\n```", "parameters-shape", 4],
    ["sub_agents that are a text", "---\nsub_agents: a\n---\nx", "entries-not-a-list", 2],
    ["an entry that is a number", "---\nsub_agents:\n  - a\n  - 5\n---\nx", "entry-shape", 4],
    ["an entry without a name", "---\nsub_agents:\n  - on: start\n---\nx", "entry-name", 3],
    [
      "a bare event",
      "+++\nx = 1\nsub_agents = [\n  { name = 'a', on = ['start', 'mine'] },\n]\n+++\nx",
      "event-name",
      4,
    ],
    ["globs that are a text", "---\ncontext_globs: src/**\n---\nx", "parameter-shape", 2],
    ["a glob that is no text", "---\nstructure_globs:\n- a\n- 1\n---\nx", "parameter-shape", 4],
    ["a model that is a list", "---\nmodel: [a]\n---\nx", "parameter-shape", 2],
    ["inputs that are a table", "---\ninputs: { a: 1 }\n---\nx", "parameter-shape", 2],
    ["no concurrency", "---\ninput_concurrency: 0\n---\nx", "parameter-shape", 2],
    ["half a concurrency", "---\ninput_concurrency: 1.5\n---\nx", "parameter-shape", 2],
    ["a glob that leads out", "---\ncontext_globs:\n- a\n- ../b\n---\nx", "glob-outside", 4],
  ])("%s", (_, text, code, line) => {
    const first = parse(text).diagnostics.find(({ severity }) => severity === "error");
    expect(first).toMatchObject({ code, line, path: "/work/prompt.md" });
    expect(first?.column).toBeGreaterThan(0);
  });

  test("with a column, even in a nested list of TOML", () => {
    const text = "```toml\n#!meta\nsub_agents = ['a', { name = 'b', on = [] }]\n```";
    const { diagnostics } = parse(text);
    expect(diagnostics.find(({ code }) => code === "entry-on")).toMatchObject({
      line: 3,
      column: 34,
    });
  });
});

describe("a prompt file on disk", () => {
  test("is read with Windows line endings and a byte-order mark", async () => {
    const path = join(temporaryFolder(), "prompt.md");
    writeFileSync(path, "\uFEFF---\r\nmodel: m\r\n---\r\nDo it.\r\n");
    await expect(readPromptFile(path)).resolves.toMatchObject({
      path,
      params: { model: "m" },
      instruction: "Do it.",
      diagnostics: [],
    });
  });

  test("that is missing is the only error", async () => {
    const path = join(temporaryFolder(), "prompt.md");
    const { diagnostics } = await readPromptFile(path);
    expect(diagnostics).toMatchObject([{ code: "not-found", severity: "error" }]);
  });
});
