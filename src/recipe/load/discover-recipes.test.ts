import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { recipeText } from "../../../test/fixtures/recipe-folder.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { hasError } from "../../source/diagnostic.ts";
import { checkRecipes, discoverRecipes, findRecipe, openRecipe } from "./discover-recipes.ts";
import type { RecipeSearch } from "../recipe-folder.ts";

let base = "";
let search: RecipeSearch;
beforeEach(() => {
  base = temporaryFolder();
  mkdirSync(join(base, "home/project/sub"), { recursive: true });
  mkdirSync(join(base, "home/project/.git"));
  search = {
    cwd: join(base, "home/project/sub"),
    home: join(base, "home"),
    environment: { GOOSE_RECIPE_PATH: `${join(base, "one")}:${join(base, "two")}` },
  };
});

function write(path: string, text: string = recipeText("prompt: x\n")): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

test("recipes are found in all folders, the nearest first", async () => {
  write("home/project/sub/.cadre/recipes/a.yaml");
  write("home/project/.cadre/recipes/b.yml");
  write(
    "home/project/.goose/recipes/c.json",
    JSON.stringify({ title: "C", description: "d", prompt: "x" }),
  );
  write("home/.config/goose/recipes/d.yaml");
  write("one/e.yaml");
  write("two/f.yaml");
  write("home/project/.cadre/recipes/deeper/no.yaml");
  write("home/project/.cadre/recipes/readme.md", "no recipe");
  const { recipes, diagnostics } = await discoverRecipes(search);
  expect(recipes.map(({ recipe, scope }) => `${recipe.name} ${scope}`)).toEqual([
    "a project",
    "b project",
    "c project",
    "d user",
    "e user",
    "f user",
  ]);
  expect(diagnostics).toEqual([]);
});

test("files that are not recipes, are broken or lead outside are reported, and the others are found", async () => {
  write("home/project/.goose/recipes/broken.yaml", "title: [\n");
  write("home/project/.goose/recipes/good.yaml");
  write("home/project/.goose/recipes/half.yaml", "title: x\n");
  write("secret.yaml");
  symlinkSync(join(base, "secret.yaml"), join(base, "home/project/.goose/recipes/link.yaml"));
  const { recipes, diagnostics } = await discoverRecipes(search);
  expect(recipes.map(({ recipe }) => `${recipe.name} ${hasError(recipe.diagnostics)}`)).toEqual([
    "good false",
    "half true",
  ]);
  expect(new Set(diagnostics.map(({ code }) => code))).toEqual(
    new Set(["symlink-outside", "yaml-invalid", "field-missing", "recipe-empty"]),
  );
});

test("a recipe is found by its file or its name, and a similar name is suggested", async () => {
  write("home/project/.goose/recipes/review.yaml");
  write("two/review.yaml");
  write("home/project/sub/here.yaml");
  expect(await findRecipe("review", search)).toBe(
    join(base, "home/project/.goose/recipes/review.yaml"),
  );
  expect(await findRecipe("here.yaml", search)).toBe(join(base, "home/project/sub/here.yaml"));
  await expect(findRecipe("reviw", search)).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringMatching(/Did you mean `review`\? There are review\./),
  });
});

test("a recipe in a user's folder of recipes may refer to all files in that folder", async () => {
  const parent = recipeText("prompt: x\nsub_recipes: [{name: b, path: ../b/recipe.yaml}]\n");
  write("home/.config/goose/recipes/a/recipe.yaml", parent);
  write("home/.config/goose/recipes/b/recipe.yaml");
  const reference = join(base, "home/.config/goose/recipes/a/recipe.yaml");
  expect((await openRecipe(reference, search)).diagnostics).toEqual([]);
});

test("files, names and folders are checked; a folder without recipes is an error", async () => {
  write("home/project/sub/some/deep/bad.yaml", recipeText("prompt: '{{ x }}'\n"));
  write("home/project/sub/some/good.yaml");
  write("home/project/sub/empty/readme.md", "x");
  write("home/project/.goose/recipes/review.yaml");
  const codes = async (...references: string[]): Promise<string[]> =>
    (await checkRecipes(references, search)).map(({ code }) => code);
  expect(await codes("some")).toEqual(["parameter-undeclared"]);
  expect(await codes("some/good.yaml", "review")).toEqual([]);
  expect(await codes("empty")).toEqual(["no-recipes"]);
  await expect(codes("nothing.yaml")).rejects.toMatchObject({ code: "invalid-argument" });
});
