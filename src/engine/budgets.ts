import { CadreError } from "../errors.ts";
import type { Budget } from "../run/budget.ts";
import type { Run } from "../run/run.ts";
import { createPool, type Pool } from "./pool.ts";
import { createPurse, type Purse, type Resource, resources } from "./purse.ts";

/** What a family used of each resource. */
export type Spending = Readonly<Record<Resource, number>>;

/** What a run has used that never was at work. */
export const nothingSpent: Spending = { tokens: 0, usd: 0, toolCalls: 0 };

/** The purse of runs without any budget above them. */
export const boundless: Purse = createPurse({}, []);

/**
 * The purse of a run: its own budget, a share of its parent's, or simply its parent's. `spent` is what it and its
 * descendants used under an earlier process.
 *
 * @throws CadreError `budget-exceeded` when its parent's purse does not hold so much; not for a run that was begun before.
 */
export function openPurse(
  run: { id: string; budget?: Budget },
  parent: Purse = boundless,
  spent?: Spending,
): Purse {
  const { id, budget } = run;
  if (budget === undefined) return parent === boundless ? boundless : createPurse(parent.pools, []);
  const isNew = spent === undefined;
  for (const resource of resources) {
    const [limit, from] = [budget[resource], parent.pools[resource]];
    if (isNew && limit !== undefined && from !== undefined && limit > from.left) {
      throw tooMuch(resource, limit, from);
    }
  }
  const own: Pool[] = [];
  const pools: Partial<Record<Resource, Pool>> = { ...parent.pools };
  for (const resource of resources) {
    const limit = budget[resource];
    if (limit === undefined) continue;
    const from = parent.pools[resource];
    const pool = createPool({ owner: id, limit, used: spent?.[resource] ?? 0, from });
    pools[resource] = pool;
    own.push(pool);
  }
  return createPurse(pools, own);
}

/** What `rootId` of `family` and its descendants used, as far as it is recorded. */
export function addSpending(rootId: string, family: readonly Run[]): Spending {
  const ids = new Set<string>();
  const sum = { tokens: 0, usd: 0, toolCalls: 0 };
  for (const { id, parentId, usage, cost, toolCalls = 0 } of family) {
    if (id !== rootId && (parentId === null || !ids.has(parentId))) continue;
    ids.add(id);
    sum.tokens += usage.inputTokens + usage.outputTokens;
    sum.usd += cost ?? 0;
    sum.toolCalls += toolCalls;
  }
  return sum;
}

function tooMuch(resource: Resource, limit: number, from: Pool): CadreError {
  const message = `A budget of ${limit} ${resource} was asked for, and only ${from.left} of the ${from.limit} of run ${from.owner} are free. Ask for less, or do without.`;
  return new CadreError("budget-exceeded", message, {
    details: { resource, asked: limit, free: from.left },
  });
}
