import { stringify } from "yaml";
import type { PreparedRecipe } from "./prepare-recipe.ts";

/** Renders a filled recipe as YAML, without its parameters, whose values are filled in. */
export function renderRecipe({ filled }: PreparedRecipe): string {
  const { parameters: _, ...rest } = filled;
  return stringify(rest, { lineWidth: 0 });
}
