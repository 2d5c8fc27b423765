import type { Cadre, RunOverview, UsagePeriod } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** What use can be grouped by. */
export const usageDimensions = ["agent", "model"] as const;

/** Selects the runs to add up. Times are epoch milliseconds. */
interface UsageRequest {
  by: "day" | "hour";
  group?: (typeof usageDimensions)[number] | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;
const defaultDays = 30;
const pageSize = 500;

/** Adds up the use of all runs in order of time; each run counts alone, in the period of its creation. */
export async function addUpUsage(
  cadre: Pick<Cadre, "runs">,
  { by, group, until = Date.now(), since = until - defaultDays * dayMs }: UsageRequest,
): Promise<UsagePeriod[]> {
  const periods = new Map<string, UsagePeriod>();
  for await (const run of readRuns(cadre, since)) {
    if (run.createdAt > until) continue;
    const name = group === undefined ? null : run[group];
    const start = startOf(run.createdAt, by);
    const key = JSON.stringify([start, name]);
    periods.set(key, addRun(periods.get(key) ?? emptyPeriod(start, name), run));
  }
  return [...periods.values()].toSorted(
    (one, other) =>
      one.start.localeCompare(other.start) || (one.group ?? "").localeCompare(other.group ?? ""),
  );
}

/** Reads the runs created at or after `since`, newest first, page by page. */
async function* readRuns(cadre: Pick<Cadre, "runs">, since: number): AsyncGenerator<RunOverview> {
  let before: string | undefined;
  for (;;) {
    const page = await cadre.runs({ limit: pageSize, ...omitUndefined({ before }) });
    for (const run of page) {
      if (run.createdAt < since) return;
      yield run;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    before = last.id;
  }
}

function startOf(time: number, by: UsageRequest["by"]): string {
  const iso = new Date(time).toISOString();
  return by === "day" ? `${iso.slice(0, 10)}T00:00:00.000Z` : `${iso.slice(0, 13)}:00:00.000Z`;
}

function emptyPeriod(start: string, group: string | null): UsagePeriod {
  return { start, group, runs: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
}

function addRun(period: UsagePeriod, { own: { usage, cost } }: RunOverview): UsagePeriod {
  return {
    ...period,
    runs: period.runs + 1,
    inputTokens: period.inputTokens + usage.inputTokens,
    outputTokens: period.outputTokens + usage.outputTokens,
    cost: period.cost === null || cost === null ? null : period.cost + cost,
  };
}
