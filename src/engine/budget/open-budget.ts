import { CadreError } from "../../errors.ts";
import type { Budget } from "../../run/budget.ts";
import type { Registry } from "../../registry/registry.ts";
import { addReserved } from "../../run/reserved.ts";
import type { Run } from "../../run/run.ts";
import { createPool, type Pool } from "./pool.ts";
import { createRunBudget, type RunBudget, type Resource, resources } from "./run-budget.ts";

/** The usage of each resource by a run and its descendants. */
export type Spending = Readonly<Record<Resource, number>>;

/** The spending of a run that never started. */
export const nothingSpent: Spending = { tokens: 0, usd: 0, toolCalls: 0 };

/** The budget of runs without any budget above them. */
export const unbounded: RunBudget = createRunBudget({});

/**
 * Opens the budget of a run: its own, a share of its parent's, or its parent's itself. `spent` is the usage of the run and its
 * descendants in an earlier process.
 *
 * @throws CadreError `budget-exceeded` when the parent's budget is too small, unless the run has started before.
 */
export function openBudget(
  run: { id: string; budget?: Budget },
  parent: RunBudget = unbounded,
  spent?: Spending,
): RunBudget {
  const { id, budget = {} } = run;
  if (run.budget === undefined && parent === unbounded) return unbounded;
  const isNew = spent === undefined;
  for (const resource of resources) {
    const [limit, from] = [budget[resource], parent.pools[resource]];
    if (isNew && limit !== undefined && from !== undefined && limit > from.left) {
      throw tooMuch(resource, limit, from);
    }
  }
  const pools: Partial<Record<Resource, Pool>> = {};
  for (const resource of resources) {
    const [limit, from] = [budget[resource], parent.pools[resource]];
    if (limit === undefined) from?.retain();
    const used = spent?.[resource] ?? 0;
    const pool = limit === undefined ? from : createPool({ owner: id, limit, used, from });
    if (pool !== undefined) pools[resource] = pool;
  }
  return createRunBudget(pools);
}

/** Adds up the usage of a run and its descendants in an earlier process. An active request counts with its reservation. */
export async function addSpending(
  registry: Pick<Registry, "children">,
  run: Pick<Run, "id" | "own" | "reserved" | "interrupted">,
): Promise<Spending> {
  const { id, own, reserved = {}, interrupted } = run;
  const { usage, cost, toolCalls } = own;
  const lost = addReserved([...Object.values(reserved), ...(interrupted ? [interrupted] : [])]);
  const tokens = usage.inputTokens + usage.outputTokens + lost.tokens;
  const sum = { tokens, usd: (cost ?? 0) + lost.usd, toolCalls };
  for (const child of await registry.children(id)) {
    const below = await addSpending(registry, child);
    for (const resource of resources) sum[resource] += below[resource];
  }
  return sum;
}

function tooMuch(resource: Resource, limit: number, from: Pool): CadreError {
  const message = `A budget of ${limit} ${resource} was requested, but only ${from.left} of the ${from.limit} of run ${from.owner} are free. Request less, or no budget.`;
  return new CadreError("budget-exceeded", message, {
    details: { resource, asked: limit, free: from.left },
  });
}
