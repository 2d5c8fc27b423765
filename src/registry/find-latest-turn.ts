import type { Run } from "../run/run.ts";
import type { Registry } from "./registry.ts";

/**
 * Returns the latest turn of the conversation of `run`: its latest continuation, or that one's, and so on; `run`
 * itself without any. A retry replaces the run it retried.
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
