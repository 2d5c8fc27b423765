import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samples } from "../../../test/is-long.ts";
import type { Budget } from "../../run/budget.ts";
import { noUsage } from "../../run/usage.ts";
import { nothingSpent, openBudget } from "./open-budget.ts";
import type { Estimate, RunBudget } from "./run-budget.ts";

const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

function estimate(inputTokens: number): Estimate {
  return { inputTokens, model: "test", price, wait: (change) => change };
}

/** The usage of a call with these input and output tokens; a token costs a millionth of a dollar. */
function spent(inputTokens: number, outputTokens: number) {
  const usage = { ...noUsage, inputTokens, outputTokens };
  return { spent: { usage, cost: (inputTokens + outputTokens) / 1_000_000 } };
}

const ask = async (budget: RunBudget, input: number, output: number): Promise<unknown> =>
  await budget.askModel(estimate(input), async () => spent(input, output));

const failure = (code: string, details: object) => ({ failure: { code, details } });

describe("a budget", () => {
  test("limits the answer to the remaining budget", async () => {
    const budget = openBudget({ id: "r", budget: { tokens: 1000 } });
    const bounds: unknown[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      await budget.askModel(estimate(300), async (reservation) => {
        bounds.push(reservation?.maxOutputTokens);
        return spent(300, 100);
      });
    }
    expect(bounds).toEqual([700, 300]);
    const unbounded = openBudget({ id: "r" });
    await unbounded.askModel(estimate(300), async (reservation) => {
      bounds.push(reservation?.maxOutputTokens);
      return spent(300, 100);
    });
    expect(bounds[2]).toBeUndefined();
  });

  test("refuses a request that would exceed it, without sending it", async () => {
    const budget = openBudget({ id: "r", budget: { tokens: 1000 } });
    await ask(budget, 500, 300);
    const asking = budget.askModel(estimate(190), () => Promise.reject(new Error("was asked")));
    await expect(asking).rejects.toMatchObject(
      failure("budget-exceeded", { resource: "tokens", limit: 1000, used: 800, owner: "r" }),
    );
    await expect(asking).rejects.toThrow(
      /The budget of 1000 tokens \(of run r\) would be exceeded: 800 are used and 200 are free/,
    );
  });

  test("refuses dollars for a model without a price", async () => {
    const budget = openBudget({ id: "r", budget: { usd: 1 } });
    const request = { ...estimate(10), price: null, model: "local:llama" };
    await expect(budget.askModel(request, async () => spent(10, 10))).rejects.toThrow(
      "cannot be enforced: the price of local:llama is unknown. Set it under models.prices",
    );
    // Another budget still applies.
    const tokens = openBudget({ id: "r", budget: { tokens: 100 } });
    await expect(tokens.askModel(request, async () => spent(10, 10))).resolves.toBeDefined();
  });

  test("assumes that the cache is written if that costs more", async () => {
    const budget = openBudget({ id: "r", budget: { usd: 0.0015 } });
    const dear = { ...estimate(1000), price: { ...price, cacheWrite: 2 } };
    await expect(budget.askModel(dear, async () => spent(1000, 100))).rejects.toMatchObject(
      failure("budget-exceeded", { resource: "usd" }),
    );
    await expect(ask(budget, 1000, 100)).resolves.toBeDefined();
  });

  test("counts tool calls one by one", () => {
    const budget = openBudget({ id: "r", budget: { toolCalls: 2 } });
    budget.callTool();
    budget.callTool();
    expect(() => budget.callTool()).toThrow(/The budget of 2 toolCalls .* needs one more/);
  });

  test("lets a call wait for reservations of others, and then continues or refuses it", async () => {
    const budget = openBudget({ id: "r", budget: { tokens: 1000 } });
    const [cheap, dear] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    const first = budget.askModel(estimate(400), async () => spent(400, await cheap.promise));
    const second = ask(budget, 300, 100);
    await nextTurn();
    cheap.resolve(100);
    await Promise.all([first, second]);
    const third = budget.askModel(estimate(50), async () => spent(50, await dear.promise));
    const fourth = ask(budget, 50, 10);
    dear.resolve(50);
    await third;
    await expect(fourth).rejects.toMatchObject(failure("budget-exceeded", { used: 1000 }));
  });

  test("is not charged for a failed request", async () => {
    const budget = openBudget({ id: "r", budget: { tokens: 1000 } });
    const failing = budget.askModel(estimate(400), () => Promise.reject(new Error("no luck")));
    await expect(failing).rejects.toThrow("no luck");
    expect(budget.pools.tokens).toMatchObject({ used: 0, left: 1000, isBusy: false });
  });
});

describe("the budget of a child", () => {
  const parentOf = (budget: Budget): RunBudget => openBudget({ id: "parent", budget });

  test("is reserved in its parent's, and its unused part returns", async () => {
    const parent = parentOf({ tokens: 1000, toolCalls: 10 });
    const child = openBudget({ id: "child", budget: { tokens: 600 } }, parent);
    expect(parent.pools.tokens?.left).toBe(400);
    child.callTool();
    await ask(child, 200, 50);
    expect(parent.pools.tokens).toMatchObject({ used: 250, left: 400 });
    expect(parent.pools.toolCalls).toMatchObject({ used: 1, left: 9 });
    child.close();
    expect(parent.pools.tokens).toMatchObject({ used: 250, left: 750 });
  });

  test("is refused when its parent's is too small", () => {
    const parent = parentOf({ usd: 1 });
    openBudget({ id: "first", budget: { usd: 0.75 } }, parent);
    expect(() => openBudget({ id: "second", budget: { usd: 0.5 } }, parent)).toThrow(
      "A budget of 0.5 usd was requested, but only 0.25 of the 1 of run parent are free.",
    );
    expect(parent.pools.usd?.left).toBe(0.25);
  });

  test("is its parent's if it has no budget of its own", async () => {
    const parent = parentOf({ tokens: 500 });
    const child = openBudget({ id: "child" }, openBudget({ id: "between" }, parent));
    await ask(child, 300, 100);
    await expect(ask(parent, 200, 10)).rejects.toMatchObject(failure("budget-exceeded", {}));
  });

  test("that outlives its parent is still bound by the parent's, which is released when it ends", async () => {
    const root = parentOf({ tokens: 1000 });
    const parent = openBudget({ id: "between", budget: { tokens: 600 } }, root);
    const child = openBudget({ id: "child" }, parent);
    parent.close();
    expect(root.pools.tokens?.left).toBe(400);
    await ask(child, 300, 100);
    await expect(ask(child, 300, 100)).rejects.toMatchObject(
      failure("budget-exceeded", { owner: "between", limit: 600, used: 400 }),
    );
    child.close();
    expect(root.pools.tokens).toMatchObject({ used: 400, left: 600 });
  });

  test("of an earlier process begins with its usage, and is never refused", () => {
    const parent = openBudget({ id: "parent", budget: { tokens: 1000 } }, undefined, {
      ...nothingSpent,
      tokens: 900,
    });
    const child = openBudget({ id: "child", budget: { tokens: 500 } }, parent, {
      ...nothingSpent,
      tokens: 300,
    });
    expect(child.pools.tokens).toMatchObject({ used: 300, left: 200 });
    expect(parent.pools.tokens).toMatchObject({ used: 900, left: -100 });
  });
});

/** A family of budgets with random actions. */
interface Account {
  budget: RunBudget;
  parent: Account | undefined;
  limits: Budget;
  tokens: number;
  toolCalls: number;
  isClosed: boolean;
  /** Active calls, with the functions that end them. */
  open: (() => void)[];
}

const happening = fc.record({
  kind: fc.constantFrom("open", "ask", "ask", "answer", "answer", "tool", "close"),
  who: fc.nat(),
  amount: fc.integer({ min: 1, max: 400 }),
  share: fc.integer({ min: 0, max: 100 }),
});

function open(accounts: Account[], parent: Account | undefined, limits: Budget): void {
  try {
    const id = `r${accounts.length}`;
    const budget = openBudget({ id, budget: limits }, parent?.budget);
    const empty = { tokens: 0, toolCalls: 0, isClosed: false, open: [] };
    accounts.push({ budget, parent, limits, ...empty });
  } catch (error) {
    expect(error).toMatchObject({ code: "budget-exceeded" });
  }
}

function begin(account: Account, input: number, share: number, calls: Promise<unknown>[]): void {
  const call = account.budget.askModel(estimate(input), async (reservation) => {
    const output = Math.floor(((reservation?.maxOutputTokens ?? 1000) * share) / 100);
    await new Promise<void>((resolve) => account.open.push(resolve));
    account.tokens += input + output;
    return spent(input, output);
  });
  calls.push(
    call.catch((error: unknown) => expect(error).toMatchObject(failure("budget-exceeded", {}))),
  );
}

function useTool(account: Account): void {
  try {
    account.budget.callTool();
    account.toolCalls += 1;
  } catch (error) {
    expect(error).toMatchObject(failure("budget-exceeded", { resource: "toolCalls" }));
  }
}

/** No pool exceeds its limit or reserves more than it has, and each has the usage of its run and its descendants. */
function expectBalanced(accounts: readonly Account[]): void {
  for (const account of accounts) {
    const below = accounts.filter((other) => isWithin(other, account));
    for (const resource of ["tokens", "toolCalls"] as const) {
      const limit = account.limits[resource];
      if (limit === undefined) continue;
      const pool = account.budget.pools[resource];
      const used = below.reduce((sum, other) => sum + other[resource], 0);
      expect(pool).toMatchObject({ limit, used });
      expect(used).toBeLessThanOrEqual(limit);
      expect(pool?.left).toBeGreaterThanOrEqual(0);
    }
  }
}

function isWithin(account: Account, ancestor: Account): boolean {
  for (let at: Account | undefined = account; at !== undefined; at = at.parent) {
    if (at === ancestor) return true;
  }
  return false;
}

describe("the budgets of a family", () => {
  test("hold and add up for any sequence of opening, requests, answers and closing", async () => {
    const budgets = fc.record(
      { tokens: fc.integer({ min: 1, max: 2000 }), toolCalls: fc.nat(6) },
      { requiredKeys: [] },
    );
    const step = fc.tuple(happening, budgets);
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const accounts: Account[] = [];
      const calls: Promise<unknown>[] = [];
      open(accounts, undefined, { tokens: 3000, toolCalls: 10 });
      for (const [{ kind, who, amount, share }, budget] of steps) {
        const account = accounts[who % accounts.length];
        if (account === undefined || account.isClosed) continue;
        if (kind === "open") open(accounts, account, budget);
        if (kind === "ask") begin(account, amount, share, calls);
        if (kind === "answer") account.open.shift()?.();
        if (kind === "tool") useTool(account);
        if (kind === "close" && account.open.length === 0 && account !== accounts[0]) {
          account.budget.close();
          account.isClosed = true;
        }
        await nextTurn();
        expectBalanced(accounts);
      }
      // Calls that wait for another answer continue when it arrives.
      while (accounts.some((account) => account.open.length > 0)) {
        for (const account of accounts) for (const answer of account.open.splice(0)) answer();
        await nextTurn();
      }
      await Promise.all(calls);
      expectBalanced(accounts);
      for (const account of accounts.slice(1)) if (!account.isClosed) account.budget.close();
      const [root] = accounts;
      const total = accounts.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(root?.budget.pools.tokens).toMatchObject({ used: total, left: 3000 - total });
    });
    await fc.assert(property, { numRuns: samples(200) });
  });
});
