import type { Registry } from "../registry/registry.ts";
import { addSpending, boundless, openPurse } from "./budgets.ts";
import type { Purse } from "./purse.ts";

/** The purses of runs that have ended and left others at work: what is left of their budgets still bounds those. */
export interface Estates {
  /** The purse that a child of `runId` spends from. */
  purseOf(runId: string | null): Promise<Purse>;
  /** Leaves them to those who were given one. */
  close(): void;
}

/** Opens estates as an earlier process left them; `purseOfLiving` has the purses of runs that are at work here. */
export function createEstates(
  registry: Pick<Registry, "run" | "children">,
  purseOfLiving: (runId: string) => Purse | undefined,
): Estates {
  const opened = new Map<string, Purse>();

  async function purseOf(runId: string | null): Promise<Purse> {
    if (runId === null) return boundless;
    const known = purseOfLiving(runId) ?? opened.get(runId);
    if (known !== undefined) return known;
    const run = await registry.run(runId);
    if (run === undefined) return boundless;
    const parent = await purseOf(run.parentId);
    const purse = openPurse(run, parent, await addSpending(registry, run));
    opened.set(runId, purse);
    return purse;
  }

  return {
    purseOf,
    close() {
      for (const purse of opened.values()) purse.close();
    },
  };
}
