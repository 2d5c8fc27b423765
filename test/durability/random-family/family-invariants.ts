import { expect } from "vitest";
import type { Run } from "../../../src/run/run.ts";
import type { ProjectJournals } from "../killed-project.ts";
import type { FamilyPlan } from "./plan-family.ts";

/** Checks the invariants of a finished family, however often it was killed. */
export function expectFinished(
  plan: FamilyPlan,
  journal: ProjectJournals,
  effects: readonly string[],
): void {
  const tasks = journal.map(({ run }) => taskOf(run));
  const root = plan.kind === "graph" ? ["graph"] : [];
  expect(tasks.toSorted()).toEqual([...plan.tasks, ...root].toSorted());
  for (const entry of journal) expectEndedOnce(entry);
  expectEffects(plan, journal, effects);
  expectDelivered(journal);
  expectOrder(plan, journal);
}

/** Returns the run's own task: the last line, after the results of others. */
function taskOf({ task, agent }: Run): string {
  return agent === "graph" ? "graph" : (task.trim().split("\n").at(-1) ?? "");
}

function expectEndedOnce({ run, events }: ProjectJournals[number]): void {
  expect(run.status, `${run.task}: ${run.result?.failure?.message}`).toBe("succeeded");
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const ends = events.filter(({ type }) => type === "run-finished");
  expect(ends, `${run.task} ends once`).toHaveLength(1);
  const steps = events.flatMap((event) => (event.type === "step-finished" ? [event.key] : []));
  expect(new Set(steps).size, `steps of ${run.task} are recorded once`).toBe(steps.length);
  expect(run.result?.durationMs).toBeGreaterThanOrEqual(0);
}

/** Checks that no command ran twice, and that the model learned about a command that may not have run. */
function expectEffects(
  plan: FamilyPlan,
  journal: ProjectJournals,
  effects: readonly string[],
): void {
  const done = new Set(effects);
  expect(effects.toSorted(), "effects that happened").toEqual([...done].toSorted());
  const unknown = effects.filter((name) => !plan.effects.includes(name));
  expect(unknown, "effects that nobody planned").toEqual([]);
  const lost = plan.effects.filter((name) => !done.has(name));
  const interrupted = journal
    .flatMap(({ events }) => events)
    .filter((event) => event.type === "step-finished" && event.kind === "tool")
    .filter((event) => JSON.stringify(event).includes("Interrupted, effect unknown"));
  expect(lost.length, `lost: ${lost.join(", ")}`).toBeLessThanOrEqual(interrupted.length);
}

/** Checks that the result of each background run reached its parent exactly once, unless the run is detached. */
function expectDelivered(journal: ProjectJournals): void {
  for (const { run, events } of journal) {
    const delivered = events.flatMap((event) => {
      if (event.type === "results-collected") return event.runIds;
      if (event.type !== "messages-delivered") return [];
      return event.messages.filter(({ kind }) => kind === "result").map(({ id }) => id);
    });
    const children = journal.filter(
      (child) => child.run.parentId === run.id && child.run.background === true,
    );
    expect(new Set(delivered).size, `results told to ${run.task}: ${delivered.join(", ")}`).toBe(
      delivered.length,
    );
    const held = children.filter((child) => child.run.detached !== true);
    for (const child of held) expect(delivered, `told to ${run.task}`).toContain(child.run.id);
  }
}

/** Checks that no run began before its dependencies had ended, and that no two runs of the sequence overlap. */
function expectOrder(plan: FamilyPlan, journal: ProjectJournals): void {
  const byId = new Map(journal.map(({ run }) => [run.id, run]));
  for (const { run } of journal) {
    for (const id of run.dependsOn) {
      expect(run.startedAt).toBeGreaterThanOrEqual(byId.get(id)?.endedAt ?? Infinity);
    }
  }
  const steps = journal
    .map(({ run }) => run)
    .filter((run) => plan.sequence.includes(taskOf(run)))
    .toSorted((left, right) => (left.endedAt ?? 0) - (right.endedAt ?? 0));
  for (const [index, step] of steps.slice(1).entries()) {
    const before = steps[index];
    expect(step.startedAt, `${step.task} after ${before?.task}`).toBeGreaterThanOrEqual(
      before?.endedAt ?? Infinity,
    );
  }
}
