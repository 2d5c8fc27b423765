import { describe, expect, test } from "vitest";
import type { ExtensionConfig } from "../../src/run/extension-config.ts";
import type { PreparedRecipe } from "../../src/recipe/fill/prepare-recipe.ts";
import { createRecipeFolder } from "../fixtures/recipe-folder.ts";
import { fieldsCases } from "./fields-cases.ts";
import { namesCases } from "./names-cases.ts";
import { parametersCases } from "./parameters-cases.ts";
import { type Facts, recipeOf, type RenderCase } from "./render-case.ts";
import { templatesCases } from "./templates-cases.ts";
import { omitUndefined } from "../../src/omit-undefined.ts";

describe.each([
  ["parameters", parametersCases],
  ["names", namesCases],
  ["templates", templatesCases],
  ["fields", fieldsCases],
])("recipes are filled like goose does: %s", (_, cases) => {
  test.each(cases)("$name", async (one) => {
    expect(await fill(one)).toEqual(one.cadre ?? one.goose);
  });
});

test("the differences are exactly the listed ones", () => {
  const cases = [...parametersCases, ...namesCases, ...templatesCases, ...fieldsCases];
  const other = cases.filter(({ cadre }) => cadre !== undefined);
  expect(other.every(({ cadre, goose }) => JSON.stringify(cadre) !== JSON.stringify(goose))).toBe(
    true,
  );
});

async function fill(one: RenderCase): Promise<Facts | "refused"> {
  const folder = createRecipeFolder({ ...one.files, "recipe.yaml": recipeOf(one) });
  const { recipe } = await folder.load();
  if (recipe === null) return "refused";
  const prepared = await folder.prepare(one.values);
  return prepared.ok ? factsOf(prepared.recipe) : "refused";
}

function factsOf({ title, task, definition, activities, subRecipes }: PreparedRecipe): Facts {
  const { systemPrompt, model, temperature, maxTurns, outputSchema, retry } = definition;
  const servers = (definition.extensions ?? []).map(describeServer);
  const facts: Facts = {
    ...(task !== "" && { prompt: task }),
    ...(systemPrompt !== "" && { instructions: systemPrompt }),
    ...(title !== "T" && { title }),
    ...(activities.length > 0 && { activities }),
    ...omitUndefined({
      model,
      temperature,
      maxTurns,
      schema: outputSchema,
      retries: retry?.maxRetries,
    }),
    ...(retry !== undefined &&
      retry.checks.length > 0 && { checks: retry.checks.map(({ command }) => command) }),
    ...(servers.length > 0 && { servers }),
    ...(subRecipes.length > 0 && { subRecipes: subRecipes.map(({ name }) => name) }),
  };
  return facts;
}

function describeServer(config: ExtensionConfig): string {
  const { name } = config;
  return (
    config.type === "stdio" ? [name, config.command, ...config.args] : [name, config.url]
  ).join(" ");
}
