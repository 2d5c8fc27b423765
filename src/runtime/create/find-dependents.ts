import type { Registry } from "../../registry/registry.ts";
import { isTerminal } from "../../run/run.ts";
import { findAbandoned } from "../../registry/find-abandoned.ts";

/**
 * Finds the families without a process that wait for a run of the family `rootId`, directly or through others. Each comes after
 * the family that it waits for.
 */
export async function findDependents(
  registry: Pick<Registry, "abandoned" | "family" | "run" | "work">,
  rootId: string,
): Promise<string[]> {
  const awaited = new Map<string, Set<string>>();
  for (const root of await findAbandoned(registry)) {
    awaited.set(root, await findAwaitedRoots(registry, root));
  }
  const found = [rootId];
  // The list grows during the loop.
  for (const family of found) {
    for (const [root, roots] of awaited) {
      if (roots.has(family) && !found.includes(root)) found.push(root);
    }
  }
  return found.slice(1);
}

/** Finds the families that unfinished runs of the family `rootId` wait for. */
async function findAwaitedRoots(
  registry: Pick<Registry, "family" | "run">,
  rootId: string,
): Promise<Set<string>> {
  const roots = new Set<string>();
  const unfinished = (await registry.family(rootId)).filter((run) => !isTerminal(run.status));
  for (const id of new Set(unfinished.flatMap(({ dependsOn }) => dependsOn))) {
    const run = await registry.run(id);
    if (run !== undefined) roots.add(run.rootId);
  }
  return roots;
}
