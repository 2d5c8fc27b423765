import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  checkRecipe,
  createRecipeFolder,
  declareParameters,
  expectPrepared,
  positionsOf,
  recipeText,
} from "../../../test/fixtures/recipe-folder.ts";

describe("names in templates", () => {
  test("must be declared, and declared names must be used", async () => {
    const text = recipeText(
      `instructions: |\n  a\n  b {{ taget }}\n${declareParameters("target")}`,
    );
    const [undeclared, unused] = await checkRecipe(text);
    expect(undeclared).toMatchObject({
      line: 6,
      column: 8,
      code: "parameter-undeclared",
      message: "`taget` is used here but not declared under `parameters`. Did you mean `target`?",
    });
    expect(unused).toMatchObject({ line: 8, code: "parameter-unused" });
  });

  test.each([
    ["activities", "activities: ['{{ x }}']\n"],
    [
      "an argument of a server",
      "extensions: [{type: stdio, name: s, cmd: c, args: ['{{ x }}']}]\n",
    ],
    ["a retry check", "retry: {max_retries: 1, checks: [{type: shell, command: 'a {{ x }}'}]}\n"],
    ["the schema of the answer", "response: {json_schema: {description: '{{ x }}'}}\n"],
    ["a condition", "instructions: '{% if x %}a{% endif %}'\n"],
    ["an included file", "instructions: '{% include \"part.md\" %}'\n"],
    ["a comment", "# see {{ x }}\n"],
    ["a description", "settings: {} \n"],
  ])("count as used in %s", async (where, more) => {
    const parameters = declareParameters("x").replace(
      "the x",
      where === "a description" ? "'{{ x }}'" : "d",
    );
    const files = { "part.md": "{{ x }}" };
    expect(await checkRecipe(recipeText(`prompt: p\n${more}${parameters}`), files)).toEqual([]);
  });

  test("may be those that the template defines itself, and the recipe's folder", async () => {
    const text =
      "prompt: '{% for a in [1] %}{{ a }}{{ loop.index }}{% endfor %}{{ recipe_dir }}'\n";
    expect(await checkRecipe(recipeText(text))).toEqual([]);
  });

  test("may be words of the template language in the place of a name", async () => {
    const words = ["namespace", "context", "range", "with", "and", "if", "loop", "super", "debug"];
    const uses = words.map((word) => `{{ ${word} }}`).join(" ");
    const folder = createRecipeFolder({
      "recipe.yaml": recipeText(`prompt: "${uses}"\n${declareParameters(...words)}`),
    });
    expect((await folder.load()).diagnostics).toEqual([]);
    const values = Object.fromEntries(words.map((word) => [word, `a ${word}`]));
    expect(expectPrepared(await folder.prepare(values)).task).toBe(
      words.map((word) => `a ${word}`).join(" "),
    );
  });

  test("are not searched in braces without an expression", async () => {
    const text =
      "prompt: |\n  {{ your name here }} {{#each x}} {{}} {% raw %}{{ y }}{% endraw %}\n";
    expect(await checkRecipe(recipeText(text))).toEqual([]);
  });
});

describe("included templates", () => {
  test.each([
    ["outside the folder", "../secret.md", "template-outside"],
    ["given by a whole path", "/etc/passwd", "template-outside"],
    ["behind a symlink that leads out", "link.md", "template-outside"],
    ["that do not exist", "none.md", "template-missing"],
  ])("%s are refused", async (_, name, code) => {
    const folder = createRecipeFolder({
      "secret.md": "s",
      "in/recipe.yaml": recipeText(`prompt: |\n  {% include "${name}" %}\n`),
    });
    symlinkSync(join(folder.path, "secret.md"), join(folder.path, "in", "link.md"));
    const { diagnostics } = await folder.load("in/recipe.yaml");
    expect(positionsOf(diagnostics)).toContain(`5:14 error ${code}`);
  });

  test("need a literal name, unless they may be missing", async () => {
    const computed = await checkRecipe(recipeText(`prompt: "{% include recipe_dir %}"\n`));
    expect(positionsOf(computed)).toEqual(["4:13 error template-computed"]);
    expect(
      await checkRecipe(recipeText(`prompt: "{% include 'none' ignore missing %}"\n`)),
    ).toEqual([]);
  });

  test("report their own errors with their own place", async () => {
    const files = { "part.md": "a\nb {{ nobody }}" };
    const diagnostics = await checkRecipe(recipeText(`prompt: "{% include 'part.md' %}"\n`), files);
    expect(diagnostics[0]?.message).toContain("`nobody` is used in an included file");
  });
});
