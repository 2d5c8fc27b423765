import { describe, expect, test } from "vitest";
import {
  checkRecipe,
  createRecipeFolder,
  positionsOf,
  recipeText,
} from "../../../test/fixtures/recipe-folder.ts";

describe("a problem of a recipe is reported with its place", () => {
  test.each([
    ["no prompt", "extensions: []\n", ["1:1 error recipe-empty"]],
    ["an unknown key", "prompt: x\nextnsions: []\n", ["5:1 warning unknown-key"]],
    ["a key twice", "prompt: x\nprompt: y\n", ["5:1 error duplicate-key"]],
    ["a wrong type", "prompt: [x]\ninstructions: x\n", ["4:1 error wrong-type"]],
    [
      "a wrong schema",
      "prompt: x\nresponse: {json_schema: {type: objekt}}\n",
      ["5:12 error schema-invalid"],
    ],
    [
      "a schema in the wrong place",
      "prompt: x\nresponse: {type: object}\n",
      ["5:1 warning schema-misplaced"],
    ],
    ["no retries", "prompt: x\nretry: {checks: []}\n", ["5:1 error field-missing"]],
    [
      "an unknown check",
      "prompt: x\nretry: {max_retries: 1, checks: [{type: http, command: x}]}\n",
      ["5:35 error wrong-value"],
    ],
    [
      "a provider without a model",
      "prompt: x\nsettings: {goose_provider: openai}\n",
      ["5:12 warning model-missing"],
    ],
    [
      "an old kind of server",
      "prompt: x\nextensions: [{type: sse, name: s, uri: http://x}]\n",
      ["5:15 warning extension-not-offered"],
    ],
    [
      "an extension of goose alone",
      "prompt: x\nextensions: [{type: builtin, name: memory}]\n",
      ["5:30 warning extension-not-offered"],
    ],
    [
      "an unknown extension",
      "prompt: x\nextensions: [{type: builtin, name: developr}]\n",
      ["5:30 warning extension-unknown"],
    ],
    [
      "an extension by its name",
      "prompt: x\nextensions: [Developer]\n",
      ["5:14 warning extension-form"],
    ],
    [
      "a server without a type",
      "prompt: x\nextensions: [{name: s, cmd: x}]\n",
      ["5:14 warning extension-type"],
    ],
    [
      "a server without a command",
      "prompt: x\nextensions: [{type: stdio, name: s}]\n",
      ["5:14 error field-missing"],
    ],
    [
      "an activity with a colon",
      "prompt: x\nactivities:\n  - message: hello\n",
      ["6:5 error wrong-type"],
    ],
    ["braces that never close", "prompt: |\n  a\n  {{ b\n", ["6:1 error template-invalid"]],
    [
      "a statement that never ends",
      "prompt: |\n  a\n  {% if b %}\n",
      ["6:1 error template-invalid", "6:9 error parameter-undeclared"],
    ],
    [
      "an unknown filter",
      "prompt: |\n  {{ 'a|b' | trim | zork }}\n",
      ["5:19 error filter-unknown"],
    ],
    ["invalid YAML", "prompt: [x\n", ["5:1 error yaml-invalid"]],
    ["a second document", "prompt: x\n---\ntitle: y\n", ["5:1 error yaml-documents"]],
    ["notes after a `---`", "prompt: x\n---\n* read *this*\n", ["5:1 error yaml-documents"]],
    ["a `---` with nothing after it", "prompt: x\n---\n# the end\n", []],
  ])("%s", async (_, more, expected) => {
    expect(positionsOf(await checkRecipe(recipeText(more)))).toEqual(expected);
  });

  test.each([
    [
      "without a key",
      "- {input_type: string, requirement: required, description: d}",
      ["6:5 error field-missing"],
    ],
    [
      "of an unknown type",
      "- {key: k, input_type: strnig, requirement: required, description: d}",
      ["6:14 error input-type-unknown"],
    ],
    [
      "of a type by another name",
      "- {key: k, input_type: integer, requirement: required, description: d}",
      ["6:14 warning input-type-unknown"],
    ],
    [
      "optional without a default",
      "- {key: k, input_type: string, requirement: optional, description: d}",
      ["6:5 error default-missing"],
    ],
    [
      "a file with a default",
      "- {key: k, input_type: file, requirement: optional, default: /etc/passwd, description: d}",
      ["6:55 error file-default"],
    ],
    [
      "a select without options",
      "- {key: k, input_type: select, requirement: required, description: d}",
      ["6:5 warning options-missing"],
    ],
    [
      "a default that does not fit",
      "- {key: k, input_type: number, requirement: optional, default: many, description: d}",
      ["6:57 warning default-unfit"],
    ],
    [
      "a key no template can name",
      "- {key: my-key, input_type: string, requirement: required, description: d}",
      ["6:6 error parameter-key", "6:5 error parameter-unused", "4:13 error parameter-undeclared"],
    ],
    [
      "an unknown requirement",
      "- {key: k, input_type: string, requirement: user-prompt, description: d}",
      ["6:34 error wrong-value"],
    ],
    [
      "the built-in one",
      "- {key: recipe_dir, input_type: string, requirement: required, description: d}",
      [
        "6:6 error parameter-reserved",
        "4:13 error parameter-undeclared",
        "6:5 error parameter-unused",
      ],
    ],
    [
      "that is a word of templates everywhere",
      "- {key: none, input_type: string, requirement: required, description: d}",
      ["6:6 error parameter-reserved", "4:13 error parameter-undeclared"],
    ],
    [
      "the same twice",
      "- {key: k, input_type: string, requirement: required, description: d}\n  - {key: k, input_type: string, requirement: required, description: d}",
      ["7:6 error parameter-repeated"],
    ],
    [
      "with half of its fields",
      "- {key: k}",
      ["6:5 warning field-missing", "6:5 warning field-missing", "6:5 warning field-missing"],
    ],
  ])("a parameter %s", async (_, item, expected) => {
    const found = positionsOf(
      await checkRecipe(recipeText(`prompt: "{{ k }}"\nparameters:\n  ${item}\n`)),
    );
    expect(found.filter((one) => !expected.includes(one) && !one.includes("parameter-un"))).toEqual(
      [],
    );
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    ["description: do: this", "5:14 warning yaml-unquoted", 'Write `description: "do: this"`'],
    ["activities:\n- **bold** `x`", "6:3 warning yaml-unquoted", 'Write `- "**bold** `x`"`'],
  ])("text that needs quotes is read, with the correct form: %s", async (more, place, fix) => {
    const diagnostics = await checkRecipe(
      `title: t\nprompt: "{{ recipe_dir }}"\nversion: 1.0.0\ninstructions: x\n${more}\n`,
    );
    expect(positionsOf(diagnostics)).toContain(place);
    expect(diagnostics.find(({ code }) => code === "yaml-unquoted")?.fix).toBe(fix);
    expect(diagnostics.every(({ code }) => code !== "yaml-invalid")).toBe(true);
  });

  test("text that is not indented under its key is the first finding", async () => {
    const [first] = await checkRecipe(
      "title: t\ninstructions: |\n\n# Do it\n\nName: x\n\n1. First this\n",
    );
    expect(first).toMatchObject({ line: 2, code: "block-not-indented" });
  });

  test("a line that is indented less than the first line of its text is reported", async () => {
    const text = "title: t\ninstructions: |\n    First\n  - Second\n  - Third\nprompt: x\n";
    const [first] = await checkRecipe(text);
    expect(first).toMatchObject({ line: 4, code: "block-not-indented" });
  });

  test("an unclosed quote is reported where it opens", async () => {
    const text = 'title: t\nextensions:\n  - args: ["-y", "/path]\n    name: x\nprompt: "p"\n';
    expect(positionsOf(await checkRecipe(text))).toContain("3:18 error quote-unclosed");
  });

  test("a command with arguments is split", async () => {
    const text = recipeText(
      'prompt: x\nextensions: [{type: stdio, name: s, command: "npx -y server"}]\n',
    );
    const { recipe, diagnostics } = await createRecipeFolder({ "recipe.yaml": text }).load();
    expect(positionsOf(diagnostics)).toEqual(["5:37 warning command-form"]);
    expect(recipe?.extensions).toMatchObject([
      { config: { command: "npx", args: ["-y", "server"] } },
    ]);
  });

  test("a fix shows what to write", async () => {
    const [found] = await checkRecipe(recipeText("prompt: x\nactivities:\n  - message: hello\n"));
    expect(found?.fix).toBe('Write `- "message: hello"`');
  });
});
