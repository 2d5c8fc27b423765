import type { DatabaseSync } from "node:sqlite";
import type { UsageRequest, UsageSum } from "../usage-sum.ts";

/**
 * Creates the function that adds up the usage of runs. The database does the sums: reading the rows of a month of runs would
 * occupy the thread that executes runs several times as long.
 */
export function createReadUsage(database: DatabaseSync): (request: UsageRequest) => UsageSum[] {
  // A damaged row counts as a run of unknown cost.
  const sums = database.prepare(`
    SELECT created_at - created_at % ?3 AS start, agent, model, count(*) AS runs,
        coalesce(sum(own ->> '$.usage.inputTokens'), 0) AS inputTokens,
        coalesce(sum(own ->> '$.usage.outputTokens'), 0) AS outputTokens,
        CASE WHEN count(own ->> '$.cost') = count(*) THEN sum(own ->> '$.cost') END AS cost
      FROM (
        SELECT created_at, agent, CASE WHEN json_valid(own) THEN own END AS own,
            CASE WHEN json_valid(state) THEN state ->> '$.model' END AS model
          FROM runs WHERE created_at BETWEEN ?1 AND ?2)
      GROUP BY 1, 2, 3`);
  return ({ since, until, periodMs }) => sums.all(since, until, periodMs) as unknown as UsageSum[];
}
