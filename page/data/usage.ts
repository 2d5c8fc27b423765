/** The usage of the project by day and group. */

import type { UsagePeriod } from "./types.ts";

/** The usage of a group or a day. */
export interface GroupUsage {
  /** The agent or model, or the day as `2026-11-25`. */
  name: string;
  runs: number;
  tokens: number;
  /** US dollars; `null` when a price is unknown. */
  cost: number | null;
}

/** A day with the usage of each group. */
export interface UsageDay extends GroupUsage {
  parts: readonly GroupUsage[];
}

/** Returns the `count` days (UTC) up to `now`, oldest first, including days without runs. */
export function toDays(periods: readonly UsagePeriod[], now: number, count: number): UsageDay[] {
  const byDay = Map.groupBy(periods, ({ start }) => start.slice(0, 10));
  const dayMs = 86_400_000;
  return Array.from({ length: count }, (_, index) => {
    const name = new Date(now - (count - 1 - index) * dayMs).toISOString().slice(0, 10);
    const parts = (byDay.get(name) ?? []).map(toSum);
    return { ...addUp(name, parts), parts };
  });
}

/** Returns the sum of each group. The group with the highest cost comes first; equal costs are sorted by tokens. */
export function toGroups(periods: readonly UsagePeriod[]): GroupUsage[] {
  const groups = Map.groupBy(periods.map(toSum), ({ name }) => name);
  const sums = Array.from(groups, ([name, parts]) => addUp(name, parts));
  return sums.toSorted(
    (one, other) => (other.cost ?? 0) - (one.cost ?? 0) || other.tokens - one.tokens,
  );
}

/** Returns the sum of several parts. The cost is unknown if that of any part is. */
export function addUp(name: string, parts: readonly GroupUsage[]): GroupUsage {
  return parts.reduce<GroupUsage>(
    (sum, { runs, tokens, cost }) => ({
      name,
      runs: sum.runs + runs,
      tokens: sum.tokens + tokens,
      cost: sum.cost === null || cost === null ? null : sum.cost + cost,
    }),
    { name, runs: 0, tokens: 0, cost: 0 },
  );
}

function toSum({ group, runs, inputTokens, outputTokens, cost }: UsagePeriod): GroupUsage {
  return { name: group ?? "none", runs, tokens: inputTokens + outputTokens, cost };
}
