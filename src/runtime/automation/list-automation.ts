import type { Config } from "../../config/config.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Schedule, Webhook } from "../automation.ts";
import { readDueTimes } from "./schedule/due-times.ts";
import { describeFailures, readWebhookState, webhookWork } from "./webhook-state.ts";
import { readScheduleStates, scheduleWork } from "./run-schedules.ts";
import { findScheduleProblem } from "./schedule/find-schedule-problem.ts";
import { defaultEvents } from "./webhook-message.ts";

/** Lists the schedules of the configuration, with their next times and last runs. */
export async function listSchedules(
  { schedules, triggers }: Pick<Config, "schedules" | "triggers">,
  { registry, project }: { registry: Registry | undefined; project: string },
): Promise<Schedule[]> {
  const states = readScheduleStates((await registry?.leaders.read(scheduleWork(project))) ?? null);
  return Object.entries(schedules).map(([name, schedule]) => {
    const { cron, trigger, timezone = Intl.DateTimeFormat().resolvedOptions().timeZone } = schedule;
    const problem = findScheduleProblem(schedule, triggers);
    const nextAt = problem === null ? readDueTimes(schedule).after(Date.now()) : null;
    return {
      name,
      cron,
      timezone,
      trigger,
      nextAt,
      lastRunId: states[name]?.runId ?? null,
      problem,
    };
  });
}

/** Lists the webhooks of the configuration, with their failures. */
export async function listWebhooks(
  webhooks: Config["webhooks"],
  {
    registry,
    project,
    environment,
  }: {
    registry: Registry | undefined;
    project: string;
    environment: Readonly<Record<string, string | undefined>>;
  },
): Promise<Webhook[]> {
  return await Promise.all(
    Object.entries(webhooks).map(async ([name, { events = defaultEvents, secretEnv }]) => {
      const saved = (await registry?.leaders.read(webhookWork(project, name))) ?? null;
      const { failing, repeated } = describeFailures(
        readWebhookState(saved) ?? { position: "", failed: [] },
      );
      const isSecret = (environment[secretEnv] ?? "") !== "";
      const problem = isSecret ? null : `Expected its secret in the variable ${secretEnv}.`;
      return { name, events, repeated, failing, problem };
    }),
  );
}
