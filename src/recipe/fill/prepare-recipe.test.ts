import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samples } from "../../../test/is-long.ts";
import {
  createRecipeFolder,
  declareParameters,
  expectPrepared,
  recipeText,
} from "../../../test/fixtures/recipe-folder.ts";
import { prepareSubRecipe } from "./prepare-recipe.ts";

describe("a recipe with values", () => {
  test("becomes a definition and a task", async () => {
    const text = recipeText(`instructions: Be {{ mood }}.
context: [Known already.]
prompt: |
  Look at {{ target }}.
settings: { goose_provider: Anthropic, goose_model: claude-x, temperature: 0.2, max_turns: 9 }
response: { json_schema: { type: object } }
retry: { max_retries: 2, checks: [{ type: shell, command: "test -f {{ target }}" }] }
${declareParameters("mood", "target")}`);
    const folder = createRecipeFolder({ "recipe.yaml": text });
    const prepared = expectPrepared(await folder.prepare({ mood: "kind", target: "src/a.ts" }));
    expect(prepared).toMatchObject({
      title: "Test",
      task: "Look at src/a.ts.",
      notes: [],
      diagnostics: [],
    });
    expect(prepared.definition).toEqual({
      name: "test",
      description: "A test",
      systemPrompt: "Be kind.\n\nKnown already.",
      model: "Anthropic:claude-x",
      temperature: 0.2,
      maxTurns: 9,
      outputSchema: { type: "object" },
      retry: { maxRetries: 2, checks: [{ type: "shell", command: "test -f src/a.ts" }] },
    });
  });

  test("reports requested tools that are not offered", async () => {
    const text = recipeText(`prompt: Go.
extensions:
  - { type: builtin, name: memory }
  - { type: builtin, name: developer, available_tools: [shell, teleport] }
unknown: matters to its author alone
`);
    const { notes } = expectPrepared(await createRecipeFolder({ "recipe.yaml": text }).prepare());
    expect(notes).toEqual([
      'The recipe "Test": `memory` is part of goose and not offered here; it was left out.',
      'The recipe "Test": `teleport` is not a tool offered here for `developer`; it was left out.',
    ]);
  });

  test("may have only one of instructions and prompt", async () => {
    const only = async (text: string): Promise<unknown[]> => {
      const folder = createRecipeFolder({ "recipe.yaml": recipeText(text) });
      const { task, definition } = expectPrepared(await folder.prepare());
      return [definition.systemPrompt, task];
    };
    expect(await only("instructions: Be kind.\n")).toEqual(["Be kind.", ""]);
    expect(await only("prompt: Go.\n")).toEqual(["", "Go."]);
  });

  test("passes text to templates for any type, like goose; objects and arrays stay as they are", async () => {
    const text =
      recipeText(`prompt: '{% if flag == "true" %}on{% endif %} {{ count }} {{ many | join("+") }} {{ one.a }}'
parameters:
  - {key: flag, input_type: boolean, requirement: required, description: d}
  - {key: count, input_type: number, requirement: optional, default: 10, description: d}
  - {key: many, input_type: array, requirement: required, description: d}
  - {key: one, input_type: object, requirement: required, description: d}
`);
    const folder = createRecipeFolder({ "recipe.yaml": text });
    const values = { flag: true, many: ["a", "b"], one: '{"a": 5}' };
    expect(expectPrepared(await folder.prepare(values)).task).toBe("on 10 a+b 5");
  });

  test("has the tools of its extensions, and no others", async () => {
    const tools = async (more: string): Promise<unknown> => {
      const folder = createRecipeFolder({ "recipe.yaml": recipeText(`prompt: x\n${more}`) });
      const { definition } = expectPrepared(await folder.prepare());
      return [definition.tools, definition.extensions?.map(({ name }) => name)];
    };
    expect(await tools("")).toEqual([undefined, undefined]);
    expect(await tools("extensions: []\n")).toEqual([[], []]);
    expect(await tools("extensions: [{type: builtin, name: memory}]\n")).toEqual([[], []]);
    expect(await tools("extensions: [{type: platform, name: developer}]\n")).toEqual([
      ["Read", "Grep", "Glob", "LS", "DirectoryTree", "Edit", "Write", "Bash"],
      [],
    ]);
    expect(
      await tools(
        "extensions: [{type: builtin, name: developer, available_tools: [shell]}, {type: stdio, name: fs, cmd: x}]\n",
      ),
    ).toEqual([["Bash", "mcp__fs__*"], ["fs"]]);
    expect(
      await tools(
        "extensions: [{type: builtin, name: developer, available_tools: [screen_capture]}]\n",
      ),
    ).toEqual([[], []]);
  });

  test("with errors is not prepared, and reports them", async () => {
    const folder = createRecipeFolder({ "recipe.yaml": recipeText("prompt: '{{ x }}'\n") });
    expect(await folder.prepare()).toMatchObject({
      ok: false,
      code: "definition-invalid",
      message: expect.stringContaining("recipe.yaml:4:13 error parameter-undeclared"),
    });
  });

  test("that cannot be filled reports the place", async () => {
    const text = recipeText(`prompt: |\n  a\n  {{ x.y.z }}\n${declareParameters("x")}`);
    expect(await createRecipeFolder({ "recipe.yaml": text }).prepare({ x: "1" })).toMatchObject({
      ok: false,
      code: "definition-invalid",
      diagnostics: [{ line: 6, code: "template-invalid" }],
    });
  });

  test("with wrong values lists all problems in one message", async () => {
    const text = recipeText(`prompt: "{{ a }} {{ b }}"\n${declareParameters("a", "b")}`);
    const preparation = await createRecipeFolder({ "recipe.yaml": text }).prepare({ c: "1" });
    if (preparation.ok) throw new Error("prepared");
    expect(preparation.code).toBe("input-invalid");
    expect(preparation.message.split("\n- ").slice(1)).toEqual([
      "`c` is not a parameter of the recipe. It has a, b.",
      "`a` (string) is missing: the a",
      "`b` (string) is missing: the b",
    ]);
  });
});

const leaves = recipeText(`prompt: |
  Look at {{ v }}.
instructions: "{{ v }}"
activities: ["{{ v }}", "b {{ v | upper }}"]
extensions: [{type: stdio, name: s, cmd: c, args: ["{{ v }}"]}]
${declareParameters("v")}`);

const whole = recipeText(`prompt: |
  Look at {{ v }}.
{% if v != "" %}
instructions: {{ v }}
{% endif %}
activities: [{{ v }}, "b {{ v | upper }}"]
extensions: [{type: stdio, name: s, cmd: c, args: ["{{ v }}"]}]
{% set again = v %}
author: {contact: {{ again }}}
${declareParameters("v")}`);

const hostilePieces =
  `: |-|#|"|'|{{|}}|{%|[|]|{|}|&a|*a|\\n|\uE000|\uE001|1.|extensions: []|x|null|é|, |\t`
    .split("|")
    .concat("\n", "|", " ");

describe.each([
  ["filled text by text", leaves, "leaves"],
  ["filled as a whole", whole, "whole"],
])("a recipe that is %s", (_, text, kind) => {
  test("treats values as text: they cannot change its structure", async () => {
    const folder = createRecipeFolder({ "recipe.yaml": text });
    const loaded = await folder.load();
    expect(loaded).toMatchObject({ diagnostics: [], recipe: { template: { kind } } });
    const keys = Object.keys(expectPrepared(await folder.prepare({ v: "x" })).filled);
    expect(keys).toContain("instructions");
    const piece = fc.constantFrom(...hostilePieces);
    const hostile = fc.string({ unit: piece, minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(hostile, async (v) => {
        const prepared = expectPrepared(await folder.prepare({ v }));
        expect(Object.keys(prepared.filled)).toEqual(keys);
        expect(prepared.filled["activities"]).toEqual([v, `b ${v.toUpperCase()}`]);
        expect(prepared.definition.extensions).toMatchObject([{ args: [v] }]);
        expect(prepared.filled["prompt"]).toBe(`Look at ${v}.\n`);
        expect(prepared.filled["instructions"]).toBe(v);
      }),
      { numRuns: samples(40) },
    );
  });
});

describe("a value that would become part of a shell command", () => {
  const text = recipeText(`prompt: x
retry: {max_retries: 1, checks: [{type: shell, command: "test -f {{ file }}"}], on_failure: "rm {{ other }}"}
parameters:
  - {key: file, input_type: string, requirement: required, description: d}
  - {key: other, input_type: string, requirement: optional, default: a b; c, description: d}
`);

  test.each(["a; rm -rf /", "$(id)", "`id`", "a b", "a\nb", "'", "*", "a|b"])(
    "is refused if a shell would read it as more than a word: %j",
    async (file) => {
      const folder = createRecipeFolder({ "recipe.yaml": text });
      expect(await folder.prepare({ file })).toMatchObject({
        ok: false,
        problems: [{ key: "file", kind: "command" }],
      });
    },
  );

  test("may contain spaces inside quotes, and nothing else", async () => {
    const quoted = text.replace("test -f {{ file }}", "test -f '{{ file }}'");
    const folder = createRecipeFolder({ "recipe.yaml": quoted });
    expectPrepared(await folder.prepare({ file: "my file.txt" }));
    expect(await folder.prepare({ file: "it's $(id)" })).toMatchObject({
      problems: [{ kind: "command", message: expect.stringContaining("spaces") }],
    });
  });

  test("is accepted if it is a word, and a default is trusted", async () => {
    const folder = createRecipeFolder({ "recipe.yaml": text });
    const { definition } = expectPrepared(await folder.prepare({ file: "out/größe_1.txt" }));
    expect(definition.retry).toMatchObject({
      checks: [{ command: "test -f out/größe_1.txt" }],
      onFailure: "rm a b; c",
    });
  });
});

describe("sub-recipes of a filled recipe", () => {
  const files = {
    "recipe.yaml": recipeText(`prompt: x
sub_recipes:
  - name: child
    path: child.yaml
    sequential_when_repeated: true
    values: { strict: true, where: "{{ target }}/lib" }
  - { name: "one of {{ target }}", path: "{{ target }}.yaml" }
${declareParameters("target")}`),
    "child.yaml": recipeText(`prompt: "{{ what }} in {{ where }}, strict {{ strict }}"
parameters:
  - {key: what, input_type: string, requirement: required, description: d}
  - {key: where, input_type: string, requirement: optional, default: ".", description: d}
  - {key: strict, input_type: boolean, requirement: optional, default: "false", description: d}
`),
    "src.yaml": recipeText("prompt: found\n"),
  };

  test("have fixed values that may contain the parent's values, and paths that may depend on those", async () => {
    const folder = createRecipeFolder(files);
    const { subRecipes } = expectPrepared(await folder.prepare({ target: "src" }));
    expect(subRecipes).toMatchObject([
      { name: "child", values: { strict: true, where: "src/lib" }, sequentialWhenRepeated: true },
      { name: "one of src", path: `${folder.path}/src.yaml`, sequentialWhenRepeated: false },
    ]);
    expect(await folder.prepare({ target: "none" })).toMatchObject({
      ok: false,
      diagnostics: [{ code: "sub-recipe-missing", line: 10 }],
    });
  });

  test("are filled with the fixed values first, and name the given values that they override", async () => {
    const folder = createRecipeFolder(files);
    const { subRecipes } = expectPrepared(await folder.prepare({ target: "src" }));
    const [child] = subRecipes;
    if (child === undefined) throw new Error("no sub-recipe");
    const options = { cwd: folder.path, roots: [folder.path] };
    const given = { what: "bugs", strict: false, where: "src/lib" };
    const prepared = expectPrepared(await prepareSubRecipe(child, given, options));
    expect(prepared.task).toBe("bugs in src/lib, strict true");
    expect(prepared.notes).toEqual(["The recipe fixes strict=true; the given false was not used."]);
    expect(await prepareSubRecipe(child, { waht: "x" }, options)).toMatchObject({
      ok: false,
      problems: [
        { key: "waht", kind: "unknown" },
        { key: "what", kind: "missing" },
      ],
    });
  });
});
