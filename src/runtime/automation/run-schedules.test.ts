import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { ScheduleSetting } from "../../config/automation-setting.ts";
import type { Registry } from "../../registry/registry.ts";
import { openRegistry } from "../../registry/sqlite/sqlite-registry.ts";
import { readDueTimes } from "./schedule/due-times.ts";
import { runSchedules } from "./run-schedules.ts";

const start = Date.parse("2026-11-24T02:59:30Z");
const minute = 60_000;
const daily: ScheduleSetting = { cron: "0 3 * * *", timezone: "UTC", trigger: "review" };

/** A process that executes schedules over the registry at `path`, at the times the test says. */
function createScheduler(
  path: string,
  schedules: Record<string, ScheduleSetting>,
): {
  registry: Registry;
  notes: string[];
  started: string[];
  again: string[];
  at: (time: number) => Promise<number>;
} {
  const registry = openRegistry({ path });
  onTestFinished(() => registry.close().catch(() => undefined));
  const [notes, started, again]: [string[], string[], string[]] = [[], [], []];
  return {
    registry,
    notes,
    started,
    again,
    at: async (time) =>
      await runSchedules({
        project: "/project",
        schedules,
        triggers: { review: {} },
        registry,
        async start(_, id) {
          registry.append(id, created(id));
          await registry.flushed();
          started.push(id);
        },
        submitAgain: async (id) => await Promise.resolve(void again.push(id)),
        now: () => time,
        onNote: (line) => void notes.push(line),
      }),
  };
}

const newPath = (): string => join(temporaryFolder(), "state", "cadre.db");

describe("schedules", () => {
  test("start a run at each of their times, and wait for the next one", async () => {
    const one = createScheduler(newPath(), { daily });
    expect(await one.at(start)).toBe(30_000);
    expect(await one.at(start + minute / 2)).toBe(30_000);
    expect(one.started).toHaveLength(1);
    await one.at(start + minute);
    await one.at(start + 24 * 60 * minute + minute);
    expect(one.started).toHaveLength(2);
    expect(new Set(one.started).size).toBe(2);
    expect(one.notes).toEqual(one.started.map((id) => expect.stringContaining(` started ${id} `)));
  });

  test("are executed by one process, and after its end by another one, which starts nothing twice", async () => {
    const path = newPath();
    const [one, other] = [createScheduler(path, { daily }), createScheduler(path, { daily })];
    await one.at(start);
    expect(await other.at(start + minute)).toBe(5000);
    expect(other.started).toEqual([]);
    await one.at(start + minute);
    expect(one.started).toHaveLength(1);
    await one.registry.close();
    await other.at(start + 2 * minute);
    expect(other.started).toEqual([]);
  });

  test("start nothing twice when a process ends between the start and its record", async () => {
    const path = newPath();
    const one = createScheduler(path, { daily });
    await one.at(start);
    const save = one.registry.leaders.save.bind(one.registry.leaders);
    Object.assign(one.registry.leaders, { save: () => Promise.reject(new Error("killed")) });
    await expect(one.at(start + minute)).rejects.toThrow("killed");
    expect(one.started).toHaveLength(1);
    Object.assign(one.registry.leaders, { save });
    await one.registry.close();
    const other = createScheduler(path, { daily });
    await other.at(start + minute);
    expect(other.started).toEqual([]);
    expect(other.again).toEqual(one.started);
    expect(other.notes).toEqual([expect.stringContaining(`started ${one.started[0]}`)]);
  });

  test("skip a time that passed while no process executed them, unless configured otherwise", async () => {
    const path = newPath();
    const both = { daily, eager: { ...daily, missed: "once" } as const };
    const one = createScheduler(path, both);
    await one.at(start);
    await one.at(start + 49 * 60 * minute);
    expect(one.started).toHaveLength(1);
    expect(one.notes).toEqual([
      expect.stringContaining("The schedule daily started nothing for 2026-11-26T03:00:00.000Z"),
      expect.stringContaining("The schedule eager started "),
    ]);
    await one.at(start + 49 * 60 * minute + 1);
    expect(one.notes).toHaveLength(2);
  });

  test("do not overlap when configured so", async () => {
    const schedule = { ...daily, cron: "* * * * *", overlap: "skip" } as const;
    const one = createScheduler(newPath(), { schedule });
    await one.at(start);
    await one.at(start + minute);
    await one.at(start + 2 * minute);
    expect(one.started).toHaveLength(1);
    expect(one.notes[1]).toContain(`the run ${one.started[0]} has not ended`);
    one.registry.append(one.started[0] ?? "", finished(one.started[0] ?? ""));
    await one.registry.flushed();
    await one.at(start + 3 * minute);
    expect(one.started).toHaveLength(2);
  });

  test("continue after a failed start, and say why", async () => {
    const one = createScheduler(newPath(), { daily, none: { ...daily, trigger: "none" } });
    await one.at(start);
    one.registry.append = () => {
      throw new Error("there is no agent");
    };
    await one.at(start + minute);
    expect(one.notes).toEqual([
      "The schedule daily could not start a run for 2026-11-24T03:00:00.000Z: there is no agent",
    ]);
    await one.at(start + minute + 1);
    expect(one.notes).toHaveLength(1);
  });
});

describe("times that are due together", () => {
  const schedule: ScheduleSetting = { ...daily, cron: "*/10 * * * * *" };

  test("start one run each, in order, even when they became due during a start or a takeover", async () => {
    const one = createScheduler(newPath(), { schedule });
    await one.at(start);
    const late = start + 35_000;
    // It must look again at once.
    for (let count = 1; count < 3; count += 1) expect(await one.at(late)).toBe(0);
    expect(await one.at(late)).toBe(5000);
    expect(one.notes.map((line) => line.slice(-25))).toEqual([
      "2026-11-24T02:59:40.000Z.",
      "2026-11-24T02:59:50.000Z.",
      "2026-11-24T03:00:00.000Z.",
    ]);
    expect(new Set(one.started).size).toBe(3);
  });

  test("are distinguished from missed ones, which a note reports", async () => {
    const [skip, once] = [schedule, { ...schedule, missed: "once" } as const];
    for (const given of [skip, once]) {
      const one = createScheduler(newPath(), { given });
      await one.at(start);
      const late = start + 90_000;
      while ((await one.at(late)) === 0);
      const [first, ...rest] = one.notes;
      expect(first).toMatch(
        given === skip
          ? /started nothing for 2026-11-24T02:59:50/
          : /started \S+ for 2026-11-24T02:59:50/,
      );
      expect(rest).toHaveLength(7);
      expect(rest.at(-1)).toMatch(/started \S+ for 2026-11-24T03:01:00/);
    }
  });
});

describe("times", () => {
  const summer = { cron: "30 2 * * *", timezone: "Europe/Berlin", trigger: "review" };

  test("come once when clocks go forward or back", () => {
    const times = readDueTimes(summer);
    const list = (from: string): string[] => {
      const found: string[] = [];
      for (let at = times.after(Date.parse(from)); at !== null && found.length < 3;) {
        found.push(new Date(at).toISOString());
        at = times.after(at);
      }
      return found;
    };
    expect(list("2026-03-27T22:00:00Z")).toEqual([
      "2026-03-28T01:30:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
    expect(list("2026-10-24T02:00:00Z")).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
      "2026-10-27T01:30:00.000Z",
    ]);
  });

  test("are found at their exact time", () => {
    const times = readDueTimes(daily);
    const due = Date.parse("2026-11-24T03:00:00Z");
    expect(times.latest(due - 1, due)).toBe(due);
    expect(times.latest(due - 1, due - 1)).toBeNull();
    expect(times.latest(due, due + 5)).toBeNull();
    expect(times.latest(due - 1, due + 999)).toBe(due);
  });
});
