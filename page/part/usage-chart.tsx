import type { ReactNode } from "react";
import { formatCost, formatCount } from "../../src/cli/view/format-value.ts";
import { addUp, type UsageDay, type GroupUsage } from "../data/usage.ts";

/** The number of groups with their own colour. All others share one colour. */
const coloured = 5;

/** Returns the index of a group's colour. */
export function colourOf(name: string, groups: readonly GroupUsage[]): number {
  const at = groups.findIndex((group) => group.name === name);
  return at < 0 || at >= coloured ? coloured : at;
}

/** A bar for each day: its cost if there is any, or else its tokens. */
export function UsageChart({
  days,
  groups,
}: {
  days: readonly UsageDay[];
  groups: readonly GroupUsage[];
}): ReactNode {
  const hasCost = days.some(({ cost }) => (cost ?? 0) > 0);
  const measure = ({ cost, tokens }: GroupUsage): number => (hasCost ? (cost ?? 0) : tokens);
  const show = (value: number): string => (hasCost ? formatCost(value) : formatCount(value));
  const most = Math.max(...days.map(measure));
  const total = addUp("", days);
  const what = hasCost ? "Cost" : "Tokens";
  const [first, last] = [days[0]?.name ?? "", days.at(-1)?.name ?? ""];
  return (
    <figure className="chart">
      <figcaption>
        <span className="faint">{what} per day (UTC)</span>
        <strong>
          {show(measure(total))} <span className="faint">in {days.length} days</span>
        </strong>
      </figcaption>
      <div
        className="chart-days"
        role="img"
        aria-label={`${what} of each day from ${first} to ${last}: at most ${show(most)}, ${show(measure(total))} together.`}
      >
        {days.map((day) => (
          <div
            key={day.name}
            className="chart-day"
            title={`${day.name}: ${show(measure(day))}, ${day.runs} runs`}
          >
            {day.parts
              .toSorted((one, other) => colourOf(one.name, groups) - colourOf(other.name, groups))
              .map((part) => (
                <i
                  key={part.name}
                  className={`colour-${colourOf(part.name, groups)}`}
                  style={{ height: most === 0 ? 0 : `${(100 * measure(part)) / most}%` }}
                />
              ))}
          </div>
        ))}
      </div>
      <div className="chart-axis faint" aria-hidden="true">
        <span>{first.slice(5)}</span>
        <span>{most === 0 ? "" : `highest ${show(most)}`}</span>
        <span>{last.slice(5)}</span>
      </div>
    </figure>
  );
}

/** The groups with their colours and usage. */
export function UsageLegend({
  groups,
  most = coloured,
}: {
  groups: readonly GroupUsage[];
  most?: number;
}): ReactNode {
  const rest = groups.slice(most);
  const shown = [...groups.slice(0, most), ...(rest.length === 0 ? [] : [addUp("others", rest)])];
  const whole = Math.max(1e-9, ...shown.map(({ cost }) => cost ?? 0));
  const wholeTokens = Math.max(1, ...shown.map(({ tokens }) => tokens));
  const hasCost = whole > 1e-9;
  return (
    <ul className="chart-legend">
      {shown.map((group) => {
        const { name, cost, tokens } = group;
        const part = hasCost ? (cost ?? 0) / whole : tokens / wholeTokens;
        return (
          <li key={name}>
            <i className={`colour-${colourOf(name, groups)}`} />
            <span className="what" title={name}>
              {name}
            </span>
            <span className="bars">
              <i
                className={`colour-${colourOf(name, groups)}`}
                style={{ left: 0, width: `${100 * part}%` }}
              />
            </span>
            <span className="number">{hasCost ? formatCost(cost) : formatCount(tokens)}</span>
          </li>
        );
      })}
    </ul>
  );
}
