import { type ReactNode, useState } from "react";
import { formatCost, formatCount } from "../../src/cli/view/format-value.ts";
import { useUsage } from "../data/queries.ts";
import { addressOf } from "../data/route.ts";
import type { UsagePeriod } from "../data/types.ts";
import { addUp, toDays, toGroups, type GroupUsage } from "../data/usage.ts";
import { useNow } from "../hook/use-now.ts";
import { Choices } from "../part/choices.tsx";
import { Empty, Loading, ProblemNotice } from "../part/problem-notice.tsx";
import { colourOf, UsageChart } from "../part/usage-chart.tsx";

const groupings = ["agent", "model"] as const;

/** The usage of the last 30 days by day (UTC), and by agent or model. */
export function UsageView(): ReactNode {
  const [group, setGroup] = useState<(typeof groupings)[number]>("agent");
  const { data, error } = useUsage(group);
  return (
    <section className="view scrolling">
      <div className="head">
        <h2>Usage of the last 30 days</h2>
        <Choices label="Group by" choices={groupings} chosen={group} onChoose={setGroup} />
      </div>
      {error !== null && <ProblemNotice error={error} />}
      {data === undefined ? error === null && <Loading /> : <Use periods={data} group={group} />}
    </section>
  );
}

function Use({ periods, group }: { periods: readonly UsagePeriod[]; group: string }): ReactNode {
  const now = useNow(60_000);
  if (periods.length === 0) {
    return (
      <Empty>
        No run was started in the last 30 days. <a href={addressOf("start")}>Start one</a>.
      </Empty>
    );
  }
  const groups = toGroups(periods);
  const days = toDays(periods, now, 30);
  return (
    <>
      <div className="card">
        <UsageChart days={days} groups={groups} />
      </div>
      <UsageTable groups={groups} group={group} />
    </>
  );
}

function UsageTable({
  groups,
  group,
}: {
  groups: readonly GroupUsage[];
  group: string;
}): ReactNode {
  const all = addUp("all", groups);
  const whole = Math.max(1, ...groups.map(({ tokens }) => tokens));
  return (
    <div className="wide card" tabIndex={0} role="region" aria-label="Usage">
      <table>
        <thead>
          <tr>
            <th>{group}</th>
            <th className="right">runs</th>
            <th className="right">tokens</th>
            <th className="right">cost</th>
            <th className="right">cost per run</th>
            <th>share of tokens</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, runs, tokens, cost }) => (
            <tr key={name}>
              <td>
                <i className={`dot colour-${colourOf(name, groups)}`} /> {name}
              </td>
              <td className="right">{runs}</td>
              <td className="right">{formatCount(tokens)}</td>
              <td className="right">{formatCost(cost)}</td>
              <td className="right">{formatCost(cost === null ? null : cost / runs)}</td>
              <td className="bars">
                <i
                  className={`colour-${colourOf(name, groups)}`}
                  style={{ width: `${(100 * tokens) / whole}%` }}
                />
                <span className="unseen">
                  {Math.round((100 * tokens) / Math.max(1, all.tokens))} %
                </span>
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td>all</td>
            <td className="right">{all.runs}</td>
            <td className="right">{formatCount(all.tokens)}</td>
            <td className="right">{formatCost(all.cost)}</td>
            <td className="right">{formatCost(all.cost === null ? null : all.cost / all.runs)}</td>
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
