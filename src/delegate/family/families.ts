import type { Registry } from "../../registry/registry.ts";
import { isTerminal, type Run } from "../../run/run.ts";
import { createFamily, type Family } from "./family.ts";

/** The families of the runs in this process. */
export interface Families {
  /** Returns a family. It is read from the registry on first use and kept while one of its runs is running. */
  of(rootId: string): Promise<Family>;
}

/** Creates the families of one process, kept up to date with the recorded events. */
export function createFamilies(registry: Registry): Families {
  const families = new Map<string, Promise<Family>>();

  registry.subscribe((event, run) => {
    const { id, rootId } = run;
    const family = families.get(rootId);
    if (family === undefined) return;
    // Some runs do not come from a delegation, such as retries.
    if (event.type === "run-created") {
      update(family, (known) => {
        if (known.get(id) === undefined) known.add(run);
      });
    } else if (event.type === "run-finished") update(family, (known) => end(known, id, rootId));
    else if (event.type === "dependencies-settled" || event.type === "run-started") {
      update(family, (known) => known.dependenciesEnded(id));
    }
  });

  function end(family: Family, id: string, rootId: string): void {
    family.end(id);
    if (!family.isAtWork) families.delete(rootId);
  }

  async function read(rootId: string): Promise<Family> {
    const family = createFamily();
    for (const run of await registry.family(rootId)) include(family, run);
    return family;
  }

  return {
    of(rootId) {
      const known = families.get(rootId);
      if (known !== undefined) return known;
      const family = read(rootId);
      families.set(rootId, family);
      // A failed read is repeated at the next request.
      family.catch(() => families.delete(rootId));
      return family;
    },
  };
}

/** The request for the family reports the failure. */
function update(family: Promise<Family>, change: (family: Family) => void): void {
  family.then(change, () => undefined);
}

function include(family: Family, run: Run): void {
  family.add(run);
  if (run.status !== "waiting") family.dependenciesEnded(run.id);
  if (isTerminal(run.status)) family.end(run.id);
}
