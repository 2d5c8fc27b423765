import type { Registry } from "../../registry/registry.ts";
import { addSpending, unbounded, openBudget } from "./open-budget.ts";
import type { RunBudget } from "./run-budget.ts";

/** The budgets of runs that have ended and left others at work: what is left of them still bounds those. */
export interface EndedBudgets {
  /** The budget that a child of `runId` spends from. */
  budgetOf(runId: string | null): Promise<RunBudget>;
  /** Leaves them to those who were given one. */
  close(): void;
}

/** Opens them as an earlier process left them; `budgetOfLiving` has the budgets of runs that are at work here. */
export function createEndedBudgets(
  registry: Pick<Registry, "run" | "children">,
  budgetOfLiving: (runId: string) => RunBudget | undefined,
): EndedBudgets {
  const opened = new Map<string, RunBudget>();

  async function budgetOf(runId: string | null): Promise<RunBudget> {
    if (runId === null) return unbounded;
    const known = budgetOfLiving(runId) ?? opened.get(runId);
    if (known !== undefined) return known;
    const run = await registry.run(runId);
    if (run === undefined) return unbounded;
    const parent = await budgetOf(run.parentId);
    const budget = openBudget(run, parent, await addSpending(registry, run));
    opened.set(runId, budget);
    return budget;
  }

  return {
    budgetOf,
    close() {
      for (const budget of opened.values()) budget.close();
    },
  };
}
