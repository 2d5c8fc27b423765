import type { Run } from "../run/run.ts";
import type { Registry } from "./registry.ts";

/**
 * Returns the latest turn of the conversation of `run`. Follows the latest continuation of each run; a run without any is the
 * latest turn. A retry replaces the run that it retries.
 */
export async function findLatestTurn(registry: Pick<Registry, "madeFrom">, run: Run): Promise<Run> {
  const seen = new Set<string>();
  let latest = run;
  // An untrusted journal may contain a cycle.
  while (!seen.has(latest.id)) {
    seen.add(latest.id);
    const { id } = latest;
    const made = await registry.madeFrom(id);
    const next = made.findLast((one) => one.lineage === undefined || isRetryInPlace(one, latest));
    if (next === undefined || seen.has(next.id)) return latest;
    latest = next;
  }
  return latest;
}

/** Reports whether `made` is a retry in the same family or conversation. */
function isRetryInPlace({ lineage, ...made }: Run, run: Run): boolean {
  if (lineage?.kind !== "retry") return false;
  return (made.conversation ?? made.rootId) === (run.conversation ?? run.rootId);
}
