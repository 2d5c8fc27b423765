import type { Registry } from "../../registry/registry.ts";
import type { OfferedRecipe } from "../../run/offered-recipe.ts";
import type { RunSpec } from "../../run/run.ts";
import type { Assignment } from "../assignment.ts";
import type { Family } from "./family.ts";

/** Returns the sequence for calls of the recipe at `path`, which must not overlap. */
export function sequenceOf(path: string): string {
  return `recipe ${path}`;
}

/**
 * Finds the sequence of a run. If an ancestor lists a recipe as `sequential_when_repeated`, its runs follow one another in the
 * whole family, whatever tool and name call it.
 */
export async function findSequence(
  registry: Pick<Registry, "spec" | "content">,
  { definition, sequence }: Assignment,
  context: { parent: RunSpec; family: Family },
): Promise<string | undefined> {
  const { format, path } = definition.source;
  if (sequence !== undefined || format !== "recipe" || path === null) return sequence;
  const wanted = sequenceOf(path);
  if (context.family.aheadOf(context.parent.id, wanted).length > 0) return wanted;
  for (let spec: RunSpec | undefined = context.parent; spec !== undefined;) {
    const recipes = await recipesOf(registry, spec);
    if (recipes.some((one) => one.path === path && one.sequentialWhenRepeated)) return wanted;
    spec = spec.parentId === null ? undefined : await registry.spec(spec.parentId);
  }
  return undefined;
}

async function recipesOf(
  registry: Pick<Registry, "content">,
  spec: RunSpec,
): Promise<readonly OfferedRecipe[]> {
  const definition = await registry.content(spec.definition);
  return (definition?.["recipes"] ?? []) as unknown as readonly OfferedRecipe[];
}
