import { expect, test } from "vitest";
import type { Recipe } from "../../../host.ts";
import { describeRecipe } from "./recipe-report.ts";

const recipe = {
  title: "Review",
  name: "review",
  description: "",
  path: "/p/review.yaml",
  settings: {},
  subRecipes: [],
  parameters: [
    {
      key: "target",
      inputType: "string",
      requirement: "required",
      description: "The files, folder or commits to review",
    },
  ],
} as unknown as Recipe;

test("a recipe on a narrow terminal has the description of a parameter below it", () => {
  const lines = describeRecipe(recipe, 40);
  expect(lines.slice(lines.indexOf("Parameters:") + 1, -3)).toEqual([
    "  KEY     TYPE    NEEDED    DEFAULT",
    "  target  string  required  -",
    "    The files, folder or commits to",
    "    review",
  ]);
  expect(describeRecipe(recipe, Infinity)).toContain(
    "  target  string  required  -        The files, folder or commits to review",
  );
});
