import type { Price } from "../model.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The price of one model, starting on a given day. */
export interface PriceEntry {
  /** `provider:model`, without a date in the model's id. */
  id: string;
  /** The first day of the price, `YYYY-MM-DD` in UTC; absent = always. Later entries of an id replace earlier ones. */
  from?: string;
  price: Price;
}

/** The day on which the table was compared with the providers' published prices. */
export const pricesAsOf = "2026-11-21";

type Rates = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

function entry(
  id: string,
  rates: Rates,
  more: { from?: string; long?: LongRates } = {},
): PriceEntry {
  const { from, long } = more;
  const price: Price = {
    ...named(rates),
    ...(long !== undefined && { longPrompt: { above: long.above, ...named(long.rates) } }),
  };
  return { id, price, ...omitUndefined({ from }) };
}

interface LongRates {
  above: number;
  rates: Rates;
}

function named([input, output, cacheRead, cacheWrite]: Rates): Omit<Price, "longPrompt"> {
  return { input, output, cacheRead, cacheWrite };
}

/** OpenAI charges long prompts twice the input and one and a half times the output rate. */
function longOpenAi([input, output, cacheRead, cacheWrite]: Rates): { long: LongRates } {
  const rates: Rates = [input * 2, output * 1.5, cacheRead * 2, cacheWrite * 2];
  return { long: { above: 272_000, rates } };
}

function openAi(model: string, rates: Rates): PriceEntry {
  return entry(`openai:${model}`, rates);
}

function openAiWithLong(model: string, rates: Rates): PriceEntry {
  return entry(`openai:${model}`, rates, longOpenAi(rates));
}

function claude(model: string, rates: Rates, long?: LongRates): PriceEntry {
  return entry(`anthropic:claude-${model}`, rates, long === undefined ? {} : { long });
}

function gemini(
  model: string,
  rates: Rates,
  more: { from?: string; long?: LongRates } = {},
): PriceEntry {
  return entry(`google:gemini-${model}`, rates, more);
}

/** US dollars per million tokens: input, output, cache read, cache write. The price of any other model is unknown. */
export const priceTable: readonly PriceEntry[] = [
  claude("fable-5-1", [10, 50, 0.25, 12.5]),
  claude("fable-5", [10, 50, 1, 12.5]),
  claude("opus-5-5", [4, 20, 0.2, 5]),
  claude("opus-5", [5, 25, 0.5, 6.25]),
  claude("opus-4-8", [5, 25, 0.5, 6.25]),
  claude("opus-4-7", [5, 25, 0.5, 6.25]),
  claude("opus-4-6", [5, 25, 0.5, 6.25]),
  claude("opus-4-5", [5, 25, 0.5, 6.25]),
  claude("opus-4-1", [15, 75, 1.5, 18.75]),
  claude("sonnet-5-5", [2, 10, 0.1, 2.5]),
  claude("sonnet-5", [2, 10, 0.2, 2.5]),
  claude("sonnet-4-6", [3, 15, 0.3, 3.75]),
  claude("sonnet-4-5", [3, 15, 0.3, 3.75]),
  claude("haiku-5-5", [0.1, 0.5, 0.01, 0.125], { above: 100_000, rates: [0.5, 2.5, 0.05, 0.625] }),
  claude("haiku-4-5", [1, 5, 0.1, 1.25]),
  openAiWithLong("gpt-6-astra", [10, 50, 1, 12.5]),
  openAiWithLong("gpt-6.1-sol", [2, 10, 0.1, 2.5]),
  openAiWithLong("gpt-6-sol", [2, 10, 0.2, 2.5]),
  openAiWithLong("gpt-6-luna", [0.1, 0.5, 0.01, 0.125]),
  openAiWithLong("gpt-5.6-sol", [4, 20, 0.4, 4]),
  openAiWithLong("gpt-5.6-terra", [2, 12, 0.2, 2]),
  openAiWithLong("gpt-5.6-luna", [0.2, 1.2, 0.02, 0.2]),
  openAi("gpt-5.4-mini", [0.75, 4.5, 0.075, 0.75]),
  openAi("gpt-5.2", [1.75, 14, 0.175, 1.75]),
  openAi("gpt-5.1", [1.25, 10, 0.125, 1.25]),
  openAi("gpt-5", [1.25, 10, 0.125, 1.25]),
  openAi("gpt-5-mini", [0.25, 2, 0.025, 0.25]),
  openAi("gpt-5-nano", [0.05, 0.4, 0.005, 0.05]),
  openAi("gpt-4.1", [2, 8, 0.5, 2]),
  openAi("gpt-4.1-mini", [0.4, 1.6, 0.1, 0.4]),
  openAi("gpt-4o", [2.5, 10, 1.25, 2.5]),
  openAi("gpt-4o-mini", [0.15, 0.6, 0.075, 0.15]),
  openAi("o3", [2, 8, 0.5, 2]),
  openAi("o4-mini", [1.1, 4.4, 0.275, 1.1]),
  gemini("4-argon", [2, 10, 0.1, 2]),
  gemini("4-argon", [4, 20, 0.2, 4], { from: "2026-12-01" }),
  gemini("4-carbon", [2, 10, 0.1, 2]),
  gemini("4-carbon", [4, 20, 0.2, 4], { from: "2026-12-01" }),
  gemini("2.5-pro", [1.25, 10, 0.125, 1.25], {
    long: { above: 200_000, rates: [2.5, 15, 0.25, 2.5] },
  }),
  gemini("2.5-flash", [0.3, 2.5, 0.03, 0.3]),
  gemini("2.5-flash-lite", [0.1, 0.4, 0.01, 0.1]),
];
