// Prices of models and costs of requests.

import type { Usage } from "../../run/usage.ts";
import type { Price } from "../model.ts";
import { priceTable } from "./price-table.ts";

/** A price as users write it. Prices of the cache are optional and default to the input price. */
export type PlainPrice = Pick<Price, "input" | "output"> &
  Partial<Pick<Price, "cacheRead" | "cacheWrite">>;

/** Adds the defaults of the cache prices. */
export function completePrice(price: PlainPrice): Price {
  return { cacheRead: price.input, cacheWrite: price.input, ...price };
}

/** Returns the cost of `usage` in US dollars; `null` when the price is unknown. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const { longPrompt } = price;
  const rate =
    longPrompt !== undefined && usage.inputTokens > longPrompt.above ? longPrompt : price;
  const fresh = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const micros =
    fresh * rate.input +
    usage.cacheReadTokens * rate.cacheRead +
    usage.cacheWriteTokens * rate.cacheWrite +
    usage.outputTokens * rate.output;
  return micros / 1_000_000;
}

/**
 * Returns the list price of `provider:model` at the time `at` (epoch milliseconds), or `null` when it is unknown.
 *
 * A dated id (`claude-haiku-4-5-20251001`, `gpt-5-2025-08-07`) has the price of the undated one. `overrides` is the
 * user's own table, by `provider:model` or by the bare model id; it takes precedence.
 */
export function priceOf(
  id: string,
  at: number,
  overrides: Readonly<Record<string, Price>> = {},
): Price | null {
  const model = id.slice(id.indexOf(":") + 1);
  // Ids come from definitions. An id such as `constructor` must not match an inherited property.
  const given = [id, model].find((key) => Object.hasOwn(overrides, key));
  const own = given === undefined ? undefined : overrides[given];
  if (own !== undefined) return own;
  const undated = `${id.slice(0, id.length - model.length)}${withoutDate(model)}`;
  const entries = priceTable.filter((entry) => entry.id === id || entry.id === undated);
  const valid = entries.filter((entry) => Date.parse(entry.from ?? "1970-01-01") <= at);
  return valid.at(-1)?.price ?? null;
}

function withoutDate(model: string): string {
  return model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}
