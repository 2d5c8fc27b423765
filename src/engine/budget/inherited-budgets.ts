import type { Registry } from "../../registry/registry.ts";
import { addSpending, unbounded, openBudget } from "./open-budget.ts";
import type { RunBudget } from "./run-budget.ts";

/** The budgets of ended runs whose descendants are still running. Their remaining amounts bound those descendants. */
export interface InheritedBudgets {
  /** The budget that a child of `runId` spends from. */
  budgetOf(runId: string | null): Promise<RunBudget>;
  /** Releases the budgets. A run that has received one keeps it. */
  close(): void;
}

/** Opens the budgets as an earlier process left them. `budgetOfLiving` returns the budgets of runs that this process executes. */
export function createInheritedBudgets(
  registry: Pick<Registry, "run" | "children">,
  budgetOfLiving: (runId: string) => RunBudget | undefined,
): InheritedBudgets {
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
