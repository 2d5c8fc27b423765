import type { Price } from "../../model/model.ts";
import { costOf } from "../../model/price.ts";
import type { Budget } from "../../run/budget.ts";
import type { Reserved } from "../../run/reserved.ts";
import { noUsage, type Usage } from "../../run/usage.ts";
import type { Pool } from "./pool.ts";
import { RunFailed } from "../to-failure.ts";

/** What of a budget is used up by calls; time is the watchdog's. */
export const resources = ["tokens", "usd", "toolCalls"] as const;

/** One of {@link resources}. */
export type Resource = (typeof resources)[number];

/** What a run may spend: of its own budget, or of its ancestors'. */
export interface RunBudget {
  /** The nearest pool of each resource that is bounded. */
  readonly pools: Readonly<Partial<Record<Resource, Pool>>>;
  /**
   * Makes a request to a model with so much set aside as it may take, and counts what it took. Without a bound nothing is.
   *
   * @throws RunFailed `budget-exceeded` when the request could cross the budget.
   */
  askModel<Outcome extends { spent?: Spent }>(
    request: Estimate,
    ask: (reservation?: Reservation) => Promise<Outcome>,
  ): Promise<Outcome>;
  /** Whether requests to models are bounded. */
  readonly boundsRequests: boolean;
  /** Counts a call of a tool. @throws RunFailed `budget-exceeded` when it is one too many. */
  callTool(): undefined;
  /** The run has ended: what neither it nor a run that outlives it can use is its parent's again. */
  close(): void;
}

/** What a request took. */
export interface Spent {
  usage: Usage;
  cost: number | null;
}

/** What is set aside for a request. */
export interface Reservation extends Reserved {
  /** The longest answer it may have. */
  maxOutputTokens: number;
}

/** What is known of a model call before it is made. */
export interface Estimate {
  inputTokens: number;
  model: string;
  price: Price | null;
  /** Waits for what other calls hold, which may take as long as they do. Rejects when the run is to end. */
  wait: (change: Promise<void>) => Promise<void>;
}

/** The longest answer that is set aside for one call, in tokens; the provider is told to stop there. */
const longestAnswer = 16_384;
/** An answer shorter than this is not worth asking for. */
const shortestAnswer = 16;

/** A run's budget of `pools`, each of which counts it among those that spend from it. */
export function createRunBudget(pools: RunBudget["pools"]): RunBudget {
  const { tokens, usd, toolCalls } = pools;
  const boundsRequests = tokens !== undefined || usd !== undefined;

  /** Waits until what other calls hold is enough, or nothing more can come back, and sets aside what the call may take. */
  async function reserve(request: Estimate): Promise<{ answer: number; giveBack: () => void }> {
    for (;;) {
      const answer = Math.floor(Math.min(longestAnswer, answerWithin(pools, request)));
      // At once: who asks in the same moment must not be promised the same.
      if (answer >= shortestAnswer) return { answer, giveBack: hold(request, answer) };
      const busy = [tokens, usd].flatMap((pool) => (pool?.isBusy === true ? [pool.change()] : []));
      if (busy.length === 0) throw exceededBy(pools, request);
      await request.wait(Promise.race(busy));
    }
  }

  function spend({ usage, cost }: Spent): void {
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

  return {
    pools,
    boundsRequests,
    async askModel(request, ask) {
      if (!boundsRequests) return await ask();
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
    },
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

/** The tokens an answer may have so that the call stays within every pool; negative when not even the request fits. */
function answerWithin({ tokens, usd }: RunBudget["pools"], request: Estimate): number {
  const byTokens = tokens === undefined ? Infinity : tokens.left - request.inputTokens;
  if (usd === undefined) return byTokens;
  if (request.price === null) throw unpriced(usd, request.model);
  const input = priceOfCall(request, 0);
  const each = priceOfCall(request, 1) - input;
  const byPrice = each > 0 ? (usd.left - input) / each : usd.left >= input ? Infinity : -1;
  return Math.min(byTokens, byPrice);
}

/** The most it can cost: what the provider writes into its cache may be dearer than what it only reads. */
function priceOfCall({ inputTokens, price }: Estimate, outputTokens: number): number {
  const usage = { ...noUsage, inputTokens, outputTokens };
  const [plain, written] = [usage, { ...usage, cacheWriteTokens: inputTokens }];
  return Math.max(costOf(plain, price) ?? 0, costOf(written, price) ?? 0);
}

function exceededBy({ tokens, usd }: RunBudget["pools"], request: Estimate): RunFailed {
  if (tokens !== undefined && tokens.left - request.inputTokens < shortestAnswer) {
    return exceeded(tokens, "tokens", `about ${request.inputTokens} and the answer`);
  }
  if (usd === undefined) throw new Error("only a bounded resource can be exceeded");
  return exceeded(usd, "usd", `about ${priceOfCall(request, shortestAnswer).toFixed(6)}`);
}

function exceeded(pool: Pool, resource: keyof Budget, needed: string): RunFailed {
  const { owner, limit, used } = pool;
  return new RunFailed({
    code: "budget-exceeded",
    message: `The budget of ${limit} ${resource} (of run ${owner}) would be crossed: ${used} are used and ${Math.max(0, pool.left)} are free, and the next call needs ${needed}. Give it a larger budget or a smaller task.`,
    details: { resource, limit, used, owner },
  });
}

function unpriced({ owner }: Pool, model: string): RunFailed {
  return new RunFailed({
    code: "budget-exceeded",
    message: `The budget in usd (of run ${owner}) cannot be kept: the price of ${model} is unknown. Write it under models.prices in the configuration (for a model given as an object: into the option price), or bound tokens instead.`,
    details: { resource: "usd", model, owner },
  });
}
