import type { SubRecipe } from "../recipe.ts";
import {
  readFlagKey,
  readRequiredText,
  readSection,
  readSectionsKey,
  readTextKey,
  reportIn,
  reportUnknownKeys,
  type Section,
} from "./section.ts";

const keys = ["name", "path", "values", "sequential_when_repeated", "description"];

/** Reads `sub_recipes`. Their parameters are known once their files are loaded. */
export function readSubRecipes(recipe: Section): SubRecipe[] {
  const found: SubRecipe[] = [];
  for (const section of readSectionsKey(recipe, "sub_recipes") ?? []) {
    const subRecipe = readSubRecipe(section);
    if (found.some(({ name }) => name === subRecipe.name && name !== "")) {
      const message = `The sub-recipe \`${subRecipe.name}\` is listed more than once; the first one is used.`;
      const fix = "Give each its own `name`.";
      reportIn(section, "name", { severity: "warning", code: "sub-recipe-repeated", message, fix });
    } else found.push(subRecipe);
  }
  return found;
}

function readSubRecipe(section: Section): SubRecipe {
  reportUnknownKeys(section, keys);
  return {
    name: readRequiredText(section, "name", "security-review").trim(),
    description: readTextKey(section, "description")?.trim() ?? "",
    writtenPath: readRequiredText(section, "path", "./security-review.yaml").trim(),
    values: readSection(section, "values")?.data ?? {},
    sequentialWhenRepeated: readFlagKey(section, "sequential_when_repeated") ?? false,
    parameters: [],
  };
}
