import type { Spent } from "../../model/request/attempt-request.ts";
import type { Price } from "../../model/model.ts";
import { costOf } from "../../model/price/price.ts";
import type { Budget } from "../../run/budget.ts";
import type { Reserved } from "../../run/reserved.ts";
import { noUsage } from "../../run/usage.ts";
import type { Pool } from "./pool.ts";
import { RunFailed } from "../run-failed.ts";

/** The resources that calls consume. The watchdog bounds time. */
export const resources = ["tokens", "usd", "toolCalls"] as const;

/** One of {@link resources}. */
export type Resource = (typeof resources)[number];

/** The spending limits of a run: its own budget and its ancestors' budgets. */
export interface RunBudget {
  /** The nearest pool of each resource that is bounded. */
  readonly pools: Readonly<Partial<Record<Resource, Pool>>>;
  /**
   * Reserves the maximum usage of a model request, makes the request, and counts its actual usage. Reserves nothing without a
   * limit.
   *
   * @throws RunFailed `budget-exceeded` when the request could exceed the budget.
   */
  askModel<Outcome extends { spent?: Pick<Spent, "usage" | "cost"> }>(
    request: Estimate,
    ask: (reservation?: Reservation) => Promise<Outcome>,
  ): Promise<Outcome>;
  /** Whether requests to models are limited. */
  readonly boundsRequests: boolean;
  /** Counts a tool call. @throws RunFailed `budget-exceeded` when the budget allows no more calls. */
  callTool(): undefined;
  /** Closes the budget at the end of the run. Unused budget returns to the parent. */
  close(): void;
}

/** The amounts reserved for a request. */
export interface Reservation extends Reserved {
  /** The maximum length of its answer, in tokens. */
  maxOutputTokens: number;
}

/** A model request before it is made. */
export interface Estimate {
  inputTokens: number;
  model: string;
  price: Price | null;
  /** Waits for amounts that other calls hold. Rejects when the run is about to end. */
  wait: (change: Promise<void>) => Promise<void>;
}

/** The longest answer that one call reserves, in tokens. It is sent to the provider as the limit. */
const maxAnswerTokens = 16_384;
/** The shortest answer that is worth a request, in tokens. */
const minAnswerTokens = 16;

/** Creates the budget of a run over `pools`, and adds the run to each of them. */
export function createRunBudget(pools: RunBudget["pools"]): RunBudget {
  const { tokens, usd, toolCalls } = pools;
  const boundsRequests = tokens !== undefined || usd !== undefined;

  /** Waits until enough is free or no held amount can return, then reserves the call's maximum usage. */
  async function reserve(request: Estimate): Promise<{ answer: number; giveBack: () => void }> {
    for (;;) {
      const answer = Math.floor(Math.min(maxAnswerTokens, answerWithin(pools, request)));
      // Reserve before anything else runs, so that two requests cannot get the same amount.
      if (answer >= minAnswerTokens) return { answer, giveBack: hold(request, answer) };
      const busy = [tokens, usd].flatMap((pool) => (pool?.isBusy === true ? [pool.change()] : []));
      if (busy.length === 0) throw exceededBy(pools, request);
      await request.wait(Promise.race(busy));
    }
  }

  function spend({ usage, cost }: Pick<Spent, "usage" | "cost">): void {
    tokens?.spend(usage.inputTokens + usage.outputTokens);
    usd?.spend(cost ?? 0);
  }

  function hold(request: Estimate, answer: number): () => void {
    const held = [
      tokens?.hold(request.inputTokens + answer),
      usd?.hold(priceOfCall(request, answer)),
    ];
    return () => {
      for (const giveBack of held) giveBack?.();
    };
  }

  async function askBounded<Outcome extends { spent?: Pick<Spent, "usage" | "cost"> }>(
    request: Estimate,
    ask: (reservation?: Reservation) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { answer, giveBack } = await reserve(request);
    try {
      const outcome = await ask({
        maxOutputTokens: answer,
        tokens: request.inputTokens + answer,
        usd: priceOfCall(request, answer),
      });
      if (outcome.spent !== undefined) spend(outcome.spent);
      return outcome;
    } finally {
      giveBack();
    }
  }

  return {
    pools,
    boundsRequests,
    askModel: (request, ask) => (boundsRequests ? askBounded(request, ask) : ask()),
    callTool() {
      if (toolCalls !== undefined && toolCalls.left < 1) {
        throw exceeded(toolCalls, "toolCalls", "one more");
      }
      toolCalls?.spend(1);
      return undefined;
    },
    close() {
      for (const pool of Object.values(pools)) pool.release();
    },
  };
}

/**
 * Returns the longest answer with which the call stays within every pool, in tokens; negative when the request alone does not
 * fit.
 */
function answerWithin({ tokens, usd }: RunBudget["pools"], request: Estimate): number {
  const byTokens = tokens === undefined ? Infinity : tokens.left - request.inputTokens;
  if (usd === undefined) return byTokens;
  if (request.price === null) throw unpriced(usd, request.model);
  const input = priceOfCall(request, 0);
  const each = priceOfCall(request, 1) - input;
  const byPrice = each > 0 ? (usd.left - input) / each : usd.left >= input ? Infinity : -1;
  return Math.min(byTokens, byPrice);
}

/** The highest possible price: writing to the provider's cache may cost more than reading. */
function priceOfCall({ inputTokens, price }: Estimate, outputTokens: number): number {
  const usage = { ...noUsage, inputTokens, outputTokens };
  const [plain, written] = [usage, { ...usage, cacheWriteTokens: inputTokens }];
  return Math.max(costOf(plain, price) ?? 0, costOf(written, price) ?? 0);
}

function exceededBy({ tokens, usd }: RunBudget["pools"], request: Estimate): RunFailed {
  if (tokens !== undefined && tokens.left - request.inputTokens < minAnswerTokens) {
    return exceeded(tokens, "tokens", `about ${request.inputTokens} and the answer`);
  }
  if (usd === undefined) throw new Error("only a bounded resource can be exceeded");
  return exceeded(usd, "usd", `about ${priceOfCall(request, minAnswerTokens).toFixed(6)}`);
}

function exceeded(pool: Pool, resource: keyof Budget, needed: string): RunFailed {
  const { owner, limit, used } = pool;
  return new RunFailed({
    code: "budget-exceeded",
    message: `The budget of ${limit} ${resource} (of run ${owner}) would be exceeded: ${used} are used and ${Math.max(0, pool.left)} are free, and the next call needs ${needed}. Give it a larger budget or a smaller task.`,
    details: { resource, limit, used, owner },
  });
}

function unpriced({ owner }: Pool, model: string): RunFailed {
  return new RunFailed({
    code: "budget-exceeded",
    message: `The budget in usd (of run ${owner}) cannot be enforced: the price of ${model} is unknown. Set it under models.prices in the configuration (for a model object: in its option price), or limit tokens instead.`,
    details: { resource: "usd", model, owner },
  });
}
