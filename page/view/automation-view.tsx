import type { ReactNode } from "react";
import { api } from "../data/api.ts";
import { useAutomation } from "../data/queries.ts";
import { addressOf, goTo } from "../data/route.ts";
import type { Schedule, Trigger } from "../data/types.ts";
import { useNow } from "../hook/use-now.ts";
import { Action } from "../part/action.tsx";
import { Moment } from "../part/moment.tsx";

/** The configured triggers, each with a start button, the schedules with their next times, and the webhooks. */
export function AutomationView(): ReactNode {
  const { data } = useAutomation();
  const now = useNow(1000);
  if (data === undefined) return null;
  const { triggers, schedules, webhooks } = data;
  if (triggers.length + webhooks.length === 0) return null;
  return (
    <div className="automation card">
      <h3>Triggers</h3>
      <ul>
        {triggers.map((trigger) => (
          <li key={trigger.name}>
            <span className="what">
              <strong>{trigger.name}</strong> <span className="faint">{startsWhat(trigger)}</span>
            </span>
            <Action title={`Start ${trigger.name}`} work={async () => await start(trigger.name)} />
          </li>
        ))}
      </ul>
      {schedules.length > 0 && (
        <>
          <h3>Schedules</h3>
          <ul>
            {schedules.map((schedule) => (
              <ScheduleRow key={schedule.name} schedule={schedule} now={now} />
            ))}
          </ul>
        </>
      )}
      {webhooks.length > 0 && (
        <>
          <h3>Webhooks</h3>
          <ul>
            {webhooks.map(({ name, events, problem, failing }) => (
              <li key={name}>
                <span className="what">
                  <strong>{name}</strong> <span className="faint">{events.join(", ")}</span>
                </span>
                <span className={(problem ?? failing) === null ? "faint" : "failed"}>
                  {problem ?? failing?.reason ?? "works"}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

async function start(name: string): Promise<void> {
  const { run } = await api.startTrigger(name);
  goTo("runs", run.id);
}

function startsWhat({ agent, recipe, graph }: Trigger): string {
  if (graph !== null) return `starts the graph ${graph}`;
  if (recipe !== null) return `starts the recipe ${recipe}`;
  return agent === null ? "" : `starts ${agent}`;
}

function ScheduleRow({ schedule, now }: { schedule: Schedule; now: number }): ReactNode {
  const { name, cron, timezone, trigger, nextAt, lastRunId, problem } = schedule;
  return (
    <li>
      <span className="what">
        <strong>{name}</strong>{" "}
        <span className="faint">
          {trigger}, <code>{cron}</code> {timezone}
        </span>
      </span>
      {lastRunId !== null && <a href={addressOf("runs", lastRunId)}>last run</a>}
      {problem !== null && <span className="failed">{problem}</span>}
      {nextAt !== null && (
        <span className="faint">
          next <Moment time={nextAt} now={now} />
        </span>
      )}
    </li>
  );
}
