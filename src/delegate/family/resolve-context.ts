import type { Registry } from "../../registry/registry.ts";
import type { RunSpec } from "../../run/run.ts";
import type { SharedContext } from "../../run/shared/shared-context.ts";
import type { Assignment } from "../assignment.ts";
import { type Dependent, resolveAmongRoots, resolveInFamily } from "./dependencies.ts";
import type { Family } from "./family.ts";
import { readOwnContext } from "./shared-context.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The scope of names of other runs: the parent's family, or the root runs. */
export type NameScope =
  | { family: Family; parent: RunSpec }
  | { registry: Pick<Registry, "run" | "findRuns">; labels: ReadonlyMap<string, string> };

/**
 * Resolves the dependencies and shared context of a run: names of other runs become ids.
 *
 * @throws CadreError `dependency-not-found` or `dependency-cycle`.
 */
export async function resolveContext(
  assignment: Assignment,
  neighbours: NameScope,
): Promise<Pick<RunSpec, "dependsOn" | "context">> {
  const { dependsOn = [], sharedContext, label, sequence, detach = false } = assignment;
  const own = sharedContext === undefined ? undefined : readOwnContext(sharedContext);
  const named = typeof dependsOn === "string" ? [dependsOn] : dependsOn;
  const names = [...named, ...(own?.labels ?? [])];
  const dependent: Dependent = { names, label, sequence, isDetached: detach };
  const ids =
    "family" in neighbours
      ? resolveInFamily(neighbours.family, neighbours.parent.id, dependent)
      : await resolveAmongRoots(neighbours.registry, neighbours.labels, dependent);
  const references = Object.fromEntries(
    (own?.labels ?? []).map((key, index) => [key, ids[named.length + index] ?? ""]),
  );
  const inherits = "family" in neighbours && neighbours.parent.context !== undefined;
  const context: SharedContext | undefined =
    own === undefined && !inherits ? undefined : { values: own?.values ?? {}, references };
  return { dependsOn: [...new Set(ids)], ...omitUndefined({ context }) };
}
