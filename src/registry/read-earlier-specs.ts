import type { RunSpec } from "../run/run.ts";
import type { Registry } from "./registry.ts";

/** Returns the runs that `spec` continues, latest first. Follows the chain up to the first run that the registry does not have. */
export async function readEarlierSpecs(
  registry: Pick<Registry, "spec">,
  spec: RunSpec,
): Promise<RunSpec[]> {
  const found = new Map<string, RunSpec>();
  let { continues } = spec;
  // An untrusted journal may contain a cycle.
  while (continues !== undefined && continues !== spec.id && !found.has(continues)) {
    const earlier = await registry.spec(continues);
    if (earlier === undefined) break;
    found.set(earlier.id, earlier);
    ({ continues } = earlier);
  }
  return [...found.values()];
}
