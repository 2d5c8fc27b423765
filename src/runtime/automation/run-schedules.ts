import { createHash } from "node:crypto";
import type { ScheduleSetting } from "../../config/automation-setting.ts";
import type { Registry } from "../../registry/registry.ts";
import { isTerminal } from "../../run/run.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";
import { errorMessage } from "../../error-message.ts";
import { type DueTimes, readDueTimes } from "./schedule/due-times.ts";
import { findScheduleProblem } from "./schedule/find-schedule-problem.ts";

/** Options of {@link runSchedules}. */
export interface ScheduleOptions {
  /** Distinguishes projects that share a registry. */
  project: string;
  schedules: Readonly<Record<string, ScheduleSetting>>;
  triggers: Readonly<Record<string, unknown>>;
  registry: Registry;
  /** Starts a run of a trigger with this id. */
  start: (schedule: ScheduleSetting, id: string) => Promise<void>;
  /** Gives the workers a run that was recorded for them, if they do not have it. */
  submitAgain: (id: string) => Promise<void>;
  now: () => number;
  onNote: (line: string) => void;
}

/** The progress of a schedule. */
export type ScheduleState = {
  /** The last time that was handled, or the time since which the schedule exists, in epoch milliseconds. */
  at: number;
  /** The last run that it started. */
  runId: string | null;
};

/** A time that is handled later than this counts as missed, in milliseconds. */
const lateMs = 60_000;
/** The maximum pause between two checks of the schedules, in milliseconds. */
const maxMs = 30_000;
/** How long to wait while another process executes the schedules, in milliseconds. */
const othersMs = 5000;

/** The name under which one process executes the schedules of a project. */
export function scheduleWork(project: string): string {
  return `schedules of ${project}`;
}

/** Reads the saved state of the schedules. */
export function readScheduleStates(saved: JsonValue): Record<string, ScheduleState> {
  if (!isRecord(saved)) return {};
  const states = Object.entries(saved).flatMap(([name, state]) => {
    if (!isRecord(state) || typeof state["at"] !== "number") return [];
    const { at, runId } = state;
    return [[name, { at, runId: typeof runId === "string" ? runId : null }] as const];
  });
  return Object.fromEntries(states);
}

/** Handles the times that are due, if this process executes the schedules. Resolves with the milliseconds until the next call. */
export async function runSchedules(options: ScheduleOptions): Promise<number> {
  const { registry, project, schedules, triggers, now } = options;
  const work = scheduleWork(project);
  const lead = await registry.leaders.lead(work);
  if (lead === undefined) return othersMs;
  const states = readScheduleStates(lead.saved);
  let next = now() + maxMs;
  for (const [name, schedule] of Object.entries(schedules)) {
    // The problem was reported at the start.
    if (findScheduleProblem(schedule, triggers) !== null) continue;
    const times = readDueTimes(schedule);
    const before = states[name] ?? { at: now(), runId: null };
    const after = await handle(options, { name, schedule, times, before });
    // Each start is saved before the next one: a process that takes over continues from there.
    const isSame = after === before && states[name] !== undefined;
    states[name] = after;
    if (!isSame && !(await registry.leaders.save(work, { ...states }))) return othersMs;
    // Further times may be due, and others may have become due in the meantime.
    next = Math.min(next, times.after(after.at) ?? next);
  }
  return Math.max(0, next - now());
}

interface DueSchedule {
  name: string;
  schedule: ScheduleSetting;
  times: DueTimes;
  before: ScheduleState;
}

/** Returns the earliest time that is due; of missed times, the latest. `null` = none is due. */
function findDue(times: DueTimes, since: number, now: number): number | null {
  const due = times.after(since);
  if (due === null || due > now) return null;
  return isLate(due, now) ? (times.latest(since, now - lateMs - 1) ?? due) : due;
}

function isLate(due: number, now: number): boolean {
  return now - due > lateMs;
}

/** Starts the run of the next time that is due. Its id is derived from the time, so repeating the call starts no second run. */
async function handle(options: ScheduleOptions, one: DueSchedule): Promise<ScheduleState> {
  const { registry, project, now, onNote, start, submitAgain } = options;
  const { name, schedule, times, before } = one;
  const due = findDue(times, before.at, now());
  if (due === null) return before;
  const time = new Date(due).toISOString();
  const skipped = { at: due, runId: before.runId };
  if (isLate(due, now()) && schedule.missed !== "once") {
    onNote(
      `The schedule ${name} started nothing for ${time}, because no process executed schedules then. \`missed: once\` makes up for it.`,
    );
    return skipped;
  }
  if (schedule.overlap === "skip" && (await isActive(registry, before.runId))) {
    onNote(
      `The schedule ${name} started nothing for ${time}, because the run ${before.runId} has not ended.`,
    );
    return skipped;
  }
  const id = runIdOf(due, [project, name]);
  try {
    if ((await registry.run(id)) === undefined) await start(schedule, id);
    else await submitAgain(id);
  } catch (error) {
    if (registry.failed.aborted) throw error;
    onNote(`The schedule ${name} could not start a run for ${time}: ${errorMessage(error)}`);
    return skipped;
  }
  onNote(`The schedule ${name} started ${id} for ${time}.`);
  return { at: due, runId: id };
}

async function isActive(registry: Registry, runId: string | null): Promise<boolean> {
  const run = runId === null ? undefined : await registry.run(runId);
  return run !== undefined && !isTerminal(run.status);
}

function runIdOf(due: number, names: readonly string[]): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([...names, due]))
    .digest();
  const part = digest.readUIntBE(0, 6).toString(36).padStart(7, "0").slice(-7);
  return `${due.toString(36)}-${part}`;
}
