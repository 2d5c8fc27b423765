import type { Registry } from "./registry.ts";

/** Finds the families that no process owns and that no worker will take, oldest first. */
export async function findAbandoned(
  registry: Pick<Registry, "abandoned" | "work">,
): Promise<string[]> {
  const roots = await registry.abandoned();
  if (roots.length === 0 || registry.work === undefined) return roots;
  const submitted = new Set((await registry.work.items()).map(({ rootId }) => rootId));
  return roots.filter((id) => !submitted.has(id));
}
