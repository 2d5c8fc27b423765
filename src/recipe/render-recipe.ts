import { stringify } from "yaml";
import type { PreparedRecipe } from "./prepare-recipe.ts";

/** A filled recipe as YAML. It has no parameters any more: their values are in it. */
export function renderRecipe({ filled }: PreparedRecipe): string {
  const { parameters: _, ...rest } = filled;
  return stringify(rest, { lineWidth: 0 });
}
