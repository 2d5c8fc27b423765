// The times of schedules, and what keeps a schedule from starting anything.

import { Cron } from "croner";
import type { ScheduleSetting } from "../../../config/automation-setting.ts";

/** The times of a schedule. */
export interface DueTimes {
  timezone: string;
  /** Returns the first time after `time`; `null` = there is none. Both in epoch milliseconds. */
  after(time: number): number | null;
  /** Returns the last time after `since`, up to and including `time`; `null` = there is none. */
  latest(since: number, time: number): number | null;
}

/** Reads the times of a schedule. @throws Error that describes an invalid pattern. */
export function readDueTimes({ cron, timezone }: ScheduleSetting): DueTimes {
  const zone = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const times = new Cron(cron, { timezone: zone, paused: true });
  return {
    timezone: zone,
    after: (time) => times.nextRun(new Date(time))?.getTime() ?? null,
    latest(since, time) {
      // Times are whole seconds, and the search excludes its start.
      const [before] = times.previousRuns(1, new Date(Math.floor(time / 1000) * 1000 + 1000));
      const found = before?.getTime() ?? null;
      return found !== null && found > since && found <= time ? found : null;
    },
  };
}
