import { type ReactNode, useState } from "react";
import { formatCost, formatCount, formatNumberOf } from "../../src/cli/view/format-value.ts";
import { useUsage } from "../data/queries.ts";
import type { UsagePeriod } from "../data/types.ts";
import { Empty, Problem } from "../part/problem.tsx";

/** The usage of the last 30 days, by day (UTC). */
export function UsageView(): ReactNode {
  const [group, setGroup] = useState<"agent" | "model">("agent");
  const { data, error } = useUsage(group);
  return (
    <section className="view scrolling">
      <h2>Usage of the last 30 days</h2>
      <div role="group" aria-label="Group by" className="choices">
        {(["agent", "model"] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === group}
            onClick={() => setGroup(one)}
          >
            by {one}
          </button>
        ))}
      </div>
      <Problem error={error} />
      {data === undefined ? <Empty>Reading …</Empty> : <Days periods={data} group={group} />}
    </section>
  );
}

function Days({ periods, group }: { periods: readonly UsagePeriod[]; group: string }): ReactNode {
  if (periods.length === 0) return <Empty>No run was started in this time.</Empty>;
  const most = Math.max(...periods.map(tokensOf));
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="Usage">
      <table>
        <thead>
          <tr>
            <th>day</th>
            <th>{group}</th>
            <th>runs</th>
            <th>tokens</th>
            <th>cost</th>
            <th aria-hidden="true" />
          </tr>
        </thead>
        <tbody>
          {periods.map((period) => (
            <tr key={`${period.start} ${period.group}`}>
              <td>{period.start.slice(0, 10)}</td>
              <td>{period.group ?? "none"}</td>
              <td>{formatNumberOf(period.runs, "run")}</td>
              <td>{formatCount(tokensOf(period))}</td>
              <td>{formatCost(period.cost)}</td>
              <td className="bars" aria-hidden="true">
                <i
                  className="bar-running"
                  style={{ width: `${most === 0 ? 0 : (100 * tokensOf(period)) / most}%` }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function tokensOf({ inputTokens, outputTokens }: UsagePeriod): number {
  return inputTokens + outputTokens;
}
