import { type ReactNode, useState } from "react";
import { useUsage } from "../data/queries.ts";
import { toDays, toGroups } from "../data/usage.ts";
import { useNow } from "../hook/use-now.ts";
import { Choices } from "../part/choices.tsx";
import { UsageChart, UsageLegend } from "../part/usage-chart.tsx";

const groupings = ["agent", "model"] as const;

/** The cost of the last two weeks by day, and by agent or model. Its space is reserved while it loads. */
export function CostStrip(): ReactNode {
  const [group, setGroup] = useState<(typeof groupings)[number]>("agent");
  const now = useNow(60_000);
  const { data = [], isPending } = useUsage(group);
  const days = toDays(data, now, 14);
  const first = days[0]?.name ?? "";
  const groups = toGroups(data.filter(({ start }) => start.slice(0, 10) >= first));
  return (
    <section className="strip card" aria-label="Cost">
      <UsageChart days={days} groups={groups} />
      <div className="strip-groups">
        <Choices label="Cost by" choices={groupings} chosen={group} onChoose={setGroup} />
        {groups.length === 0 ? (
          <p className="faint">
            {isPending ? "Loading …" : "No run was started during this time."}
          </p>
        ) : (
          <UsageLegend groups={groups} most={3} />
        )}
      </div>
    </section>
  );
}
