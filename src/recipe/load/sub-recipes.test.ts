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
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { loadRecipe } from "./load-recipe.ts";
import { prepareSubRecipe } from "../fill/prepare-recipe.ts";

describe("sub-recipes", () => {
  const child = recipeText(`prompt: "{{ a }} {{ b }}"\n${declareParameters("a", "b")}`);
  const sub = (path: string, more = ""): string =>
    recipeText(`prompt: x\nsub_recipes:\n  - {name: child, path: "${path}"${more}}\n`);

  test("are loaded with their parameters", async () => {
    const files = {
      "in/recipe.yaml": sub("../child.yaml", ", values: {a: 1}, sequential_when_repeated: true"),
      "child.yaml": child,
    };
    const folder = createRecipeFolder(files);
    const { recipe, diagnostics } = await folder.load("in/recipe.yaml");
    expect(diagnostics).toEqual([]);
    expect(recipe?.subRecipes).toMatchObject([
      {
        name: "child",
        description: "A test",
        path: join(folder.path, "child.yaml"),
        values: { a: 1 },
        sequentialWhenRepeated: true,
        parameters: [{ key: "a" }, { key: "b" }],
      },
    ]);
  });

  test("are found beside the recipe by its folder's name", async () => {
    const { recipe } = await createRecipeFolder({
      "recipe.yaml": sub("{{ recipe_dir }}/child.yaml"),
      "child.yaml": child,
    }).load();
    expect(recipe?.subRecipes[0]?.parameters).toHaveLength(2);
  });

  test("are found by name in folders of recipes", async () => {
    const folder = createRecipeFolder({ "recipe.yaml": sub("child"), "shared/child.yml": child });
    const options = { root: folder.path, folders: [join(folder.path, "shared")] };
    const { recipe } = await loadRecipe(join(folder.path, "recipe.yaml"), options);
    expect(recipe?.subRecipes[0]?.path).toBe(join(folder.path, "shared", "child.yml"));
  });

  test("that do not exist suggest a similar one", async () => {
    const [found] = await checkRecipe(sub("./sub-recipes/child.yaml"), {
      "subrecipes/child.yaml": child,
    });
    expect(found).toMatchObject({
      line: 6,
      code: "sub-recipe-missing",
      fix: "Write `path: ./subrecipes/child.yaml`",
    });
  });

  test("cannot be outside the project, or outside the recipe's folder if that is outside", async () => {
    const outside = createRecipeFolder({
      "child.yaml": child,
      "in/recipe.yaml": sub("../child.yaml"),
    });
    const folder = createRecipeFolder({
      "recipe.yaml": sub(join(outside.path, "child.yaml")),
      "linked.yaml": sub("link.yaml"),
    });
    symlinkSync(join(outside.path, "child.yaml"), join(folder.path, "link.yaml"));
    const codes = async (loading: Promise<{ diagnostics: Diagnostic[] }>): Promise<string[]> =>
      positionsOf((await loading).diagnostics);
    expect(await codes(folder.load())).toEqual(["6:19 error sub-recipe-outside"]);
    expect(await codes(folder.load("linked.yaml"))).toEqual(["6:19 error sub-recipe-outside"]);
    const elsewhere = { root: temporaryFolder() };
    const loading = loadRecipe(join(outside.path, "in", "recipe.yaml"), elsewhere);
    expect(await codes(loading)).toEqual(["6:19 error sub-recipe-outside"]);
  });

  test("that form a cycle are refused where the cycle closes", async () => {
    const files = { "b.yaml": sub("c.yaml"), "c.yaml": sub("recipe.yaml") };
    const diagnostics = await checkRecipe(sub("b.yaml"), files);
    const circle = diagnostics.find(({ code }) => code === "sub-recipe-cycle");
    expect(circle?.path).toMatch(/c\.yaml$/);
    expect(circle?.message).toContain("recipe.yaml > b.yaml > c.yaml > recipe.yaml");
    expect(positionsOf(await checkRecipe(sub("./recipe.yaml")))).toEqual([
      "6:19 error sub-recipe-cycle",
    ]);
  });

  test("load 50 deep, and are refused with a message at 100", async () => {
    const chain = (depth: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: depth }, (_, at) => [
          at === 0 ? "recipe.yaml" : `r${at}.yaml`,
          at === depth - 1 ? recipeText("prompt: x\n") : sub(`r${at + 1}.yaml`),
        ]),
      );
    expect((await createRecipeFolder(chain(50)).load()).diagnostics).toEqual([]);
    const { diagnostics } = await createRecipeFolder(chain(100)).load();
    const found = diagnostics.find(({ code }) => code === "sub-recipe-depth");
    expect(found?.message).toBe("Expected sub-recipes at most 64 deep, got more.");
    // A finding names the cause, and not all recipes in between.
    expect(diagnostics.every(({ message }) => message.length < 200)).toBe(true);
  });

  test("with errors are refused when they are called, and other sub-recipes are not", async () => {
    const parent = recipeText(`prompt: x
sub_recipes:
  - {name: child, path: child.yaml}
  - {name: bad, path: bad.yaml}
  - {name: none, path: none.yaml}
`);
    const folder = createRecipeFolder({
      "recipe.yaml": parent,
      "child.yaml": child,
      "bad.yaml": "title: x\n",
      "none.yaml": "just text\n",
    });
    const { diagnostics } = await folder.load();
    expect(diagnostics.map(({ path, code }) => `${path.split("/").at(-1)} ${code}`)).toEqual([
      "recipe.yaml sub-recipe-invalid",
      "recipe.yaml sub-recipe-invalid",
      "bad.yaml recipe-empty",
      "bad.yaml field-missing",
      "none.yaml recipe-not-a-map",
    ]);
    const { subRecipes, notes } = expectPrepared(await folder.prepare());
    expect(subRecipes.map(({ name }) => name)).toEqual(["child", "bad", "none"]);
    expect(notes).toEqual([
      expect.stringContaining("The sub-recipe `bad.yaml` has errors (bad.yaml line 1: Expected"),
      expect.stringContaining("The sub-recipe `none.yaml` has errors (none.yaml line 1: Expected"),
    ]);
    const options = { cwd: folder.path, roots: [] };
    const calls = subRecipes.map((one) => prepareSubRecipe(one, { a: "1", b: "2" }, options));
    expect(await Promise.all(calls)).toMatchObject([
      { ok: true },
      { ok: false, code: "definition-invalid", message: expect.stringContaining("bad.yaml:1:1") },
      { ok: false, code: "definition-invalid", message: expect.stringContaining("none.yaml:1:1") },
    ]);
  });

  test("get no undeclared values", async () => {
    const files = { "child.yaml": child };
    expect(positionsOf(await checkRecipe(sub("child.yaml", ", values: {c: 1}"), files))).toEqual([
      "6:48 warning value-unknown",
    ]);
  });

  test("with the same name resolve to the first one, with a warning in the result", async () => {
    const twice = sub("child.yaml").replace("- {", "- {name: child, path: first.yaml}\n  - {");
    const folder = createRecipeFolder({
      "recipe.yaml": twice,
      "child.yaml": child,
      "first.yaml": recipeText("prompt: first\n"),
    });
    expect(positionsOf((await folder.load()).diagnostics)).toEqual([
      "7:6 warning sub-recipe-repeated",
    ]);
    const { subRecipes, notes } = expectPrepared(await folder.prepare());
    expect(subRecipes.map(({ writtenPath }) => writtenPath)).toEqual(["first.yaml"]);
    expect(notes).toEqual([expect.stringContaining("`child` is listed more than once")]);
  });
});
