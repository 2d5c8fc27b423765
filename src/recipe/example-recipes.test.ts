import { join } from "node:path";
import { expect, test } from "vitest";
import { checkRecipes } from "./discover-recipes.ts";
import { loadRecipe } from "./load-recipe.ts";

const root = join(import.meta.dirname, "../..");

test("the recipes that come with Cadre have no findings", async () => {
  const place = { cwd: root, home: join(root, "no-home"), environment: {} };
  const folders = ["examples/02-recipes", "src/config/template/recipes"];
  expect(await checkRecipes(folders, place)).toEqual([]);
});

test("the example has three sub-recipes, one of them one after another, and takes an image", async () => {
  const path = join(root, "examples/02-recipes/code-review.yaml");
  const { recipe } = await loadRecipe(path, { root });
  const order = recipe?.subRecipes.map(({ sequentialWhenRepeated }) => sequentialWhenRepeated);
  expect(order).toEqual([false, true, false]);
  expect(recipe?.parameters.map(({ key }) => key)).toContain("screenshot");
});
