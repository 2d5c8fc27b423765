import type { Cadre, UsagePeriod, UsageSum } from "../../host.ts";

/** The dimensions by which usage can be grouped. */
export const usageDimensions = ["agent", "model"] as const;

/** Selects the runs whose usage is summed. Times are epoch milliseconds. */
interface UsageQuery {
  by: "day" | "hour";
  group?: (typeof usageDimensions)[number] | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const defaultDays = 30;

/** Sums the usage of all runs in order of time. Each run counts without its descendants, in the period of its creation. */
export async function addUpUsage(
  cadre: Pick<Cadre, "usage">,
  { by, group, until = Date.now(), since = until - defaultDays * dayMs }: UsageQuery,
): Promise<UsagePeriod[]> {
  const periodMs = by === "day" ? dayMs : hourMs;
  const sums = await cadre.usage({ since, until, periodMs });
  const periods = new Map<string, UsagePeriod>();
  for (const sum of sums) {
    const name = group === undefined ? null : sum[group];
    const start = new Date(sum.start).toISOString();
    const key = JSON.stringify([start, name]);
    periods.set(key, addSum(periods.get(key) ?? emptyPeriod(start, name), sum));
  }
  return [...periods.values()].toSorted(
    (one, other) =>
      one.start.localeCompare(other.start) || (one.group ?? "").localeCompare(other.group ?? ""),
  );
}

function emptyPeriod(start: string, group: string | null): UsagePeriod {
  return { start, group, runs: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
}

function addSum(period: UsagePeriod, sum: UsageSum): UsagePeriod {
  return {
    ...period,
    runs: period.runs + sum.runs,
    inputTokens: period.inputTokens + sum.inputTokens,
    outputTokens: period.outputTokens + sum.outputTokens,
    cost: period.cost === null || sum.cost === null ? null : period.cost + sum.cost,
  };
}
