import type { ScheduleSetting } from "../../../config/automation-setting.ts";
import { errorMessage } from "../../../error-message.ts";
import { readDueTimes } from "./due-times.ts";

/** Returns why a schedule cannot be executed; `null` = it can. */
export function findScheduleProblem(
  schedule: ScheduleSetting,
  triggers: Readonly<Record<string, unknown>>,
): string | null {
  const { cron, trigger } = schedule;
  if (!Object.hasOwn(triggers, trigger)) return `There is no trigger ${JSON.stringify(trigger)}.`;
  try {
    readDueTimes(schedule);
    return null;
  } catch (error) {
    return `The pattern ${JSON.stringify(cron)} is not valid: ${errorMessage(error)}.`;
  }
}
