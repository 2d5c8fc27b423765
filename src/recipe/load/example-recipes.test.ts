import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRecipeFolder } from "../../../test/fixtures/recipe-folder.ts";
import { checkRecipes } from "./discover-recipes.ts";
import { toolsForExtension } from "../goose-extension.ts";
import { loadRecipe } from "./load-recipe.ts";

const root = join(import.meta.dirname, "../../..");

test("the recipes that come with Cadre have no findings", async () => {
  const project = { cwd: root, home: join(root, "no-home"), environment: {} };
  const folders = ["examples/02-recipes", "src/config/template/recipes"];
  expect(await checkRecipes(folders, project)).toEqual([]);
});

test("the example has three sub-recipes, one of them one after another, and takes an image", async () => {
  const path = join(root, "examples/02-recipes/code-review.yaml");
  const { recipe } = await loadRecipe(path, { root });
  const order = recipe?.subRecipes.map(({ sequentialWhenRepeated }) => sequentialWhenRepeated);
  expect(order).toEqual([false, true, false]);
  expect(recipe?.parameters.map(({ key }) => key)).toContain("screenshot");
});

test("the page about recipes shows one without findings", async () => {
  const page = readFileSync(join(root, "docs/recipes.md"), "utf8");
  const [, text = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const { recipe, diagnostics } = await createRecipeFolder({ "recipe.yaml": text }).load();
  expect(diagnostics).toEqual([]);
  expect(recipe?.title).toBe("Code review");
});

test("the page about recipes lists each of goose's extensions with its tools in Cadre", async () => {
  const page = readFileSync(join(root, "docs/recipes.md"), "utf8");
  for (const name of ["developer", "analyze", "skills", "summon"]) {
    const [, row = ""] = new RegExp(`^\\| \`${name}\` \\| (.*) \\|$`, "m").exec(page) ?? [];
    const written = [...row.matchAll(/`(\w+)`/g)].map(([, tool]) => tool);
    const offered = toolsForExtension(name)?.filter((tool) => !tool.startsWith("sessions_"));
    expect(written).toEqual(expect.arrayContaining([...(offered ?? [])]));
    expect(written).toHaveLength(offered?.length ?? 0);
  }
});
