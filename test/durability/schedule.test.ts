import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTerminal } from "../../src/run/run.ts";
import { isLong } from "../is-long.ts";
import { createExecutor, type Executor, type Observed } from "./execute-plan.ts";
import {
  arbitraryCancels,
  arbitraryPlan,
  excludeEachOther,
  type PlannedCancel,
  type PlannedRun,
  predict,
} from "./schedule-model.ts";

/** The number of plans; with `npm run test:durability`, thousands, some of them larger. */
const trials = isLong ? 200 : 30;
const most = isLong ? 24 : 14;

/** Checks that every order respects dependencies and sequences, and that no more runs are active than there are slots. */
function expectOrder(plan: readonly PlannedRun[], { log, runs }: Observed): void {
  const place = (kind: "begin" | "end", name: number): number =>
    log.findIndex((entry) => entry.kind === kind && entry.name === name);
  for (const planned of plan) {
    const began = place("begin", planned.name);
    if (began < 0) continue;
    for (const other of planned.dependsOn) {
      // A run that never began has another end, which only its journal shows.
      expect(place("end", other)).toBeLessThan(began);
      const status = runs.get(other)?.run.status;
      if (planned.onDependencyError === "fail") expect(status).toBe("succeeded");
    }
    for (const other of plan) {
      if (!excludeEachOther(plan, planned, other) || place("begin", other.name) < 0) continue;
      const isBefore = place("end", planned.name) < place("begin", other.name);
      const isAfter = place("end", other.name) < began;
      expect(isBefore || isAfter, `${planned.name} and ${other.name} overlap`).toBe(true);
    }
  }
}

/** Checks that every run ends exactly once and does nothing afterwards. */
function expectEnds({ log, runs }: Observed): void {
  for (const [name, { run, events }] of runs) {
    expect(isTerminal(run.status), `${name} is ${run.status}`).toBe(true);
    expect(events.filter(({ type }) => type === "run-finished")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("run-finished");
    expect(events.filter(({ type }) => type === "run-started").length).toBeLessThanOrEqual(1);
  }
  const begins = log.filter(({ kind }) => kind === "begin").map(({ name }) => name);
  expect(new Set(begins).size).toBe(begins.length);
}

function outcomesOf({ runs }: Observed): Map<number, string> {
  return new Map(
    [...runs].map(([name, { run }]) => [name, run.result?.failure?.code ?? run.status]),
  );
}

function isWithin(plan: readonly PlannedRun[], name: number, ancestor: number): boolean {
  for (let at = plan[name]; at !== undefined;) {
    if (at.name === ancestor) return true;
    at = at.parent === null ? undefined : plan[at.parent];
  }
  return false;
}

async function check(
  executor: Executor,
  limit: number,
  [plan, cancels]: [PlannedRun[], PlannedCancel[]],
): Promise<void> {
  const observed = await executor.execute(plan, cancels);
  expectEnds(observed);
  expectOrder(plan, observed);
  expect(observed.maxAtWork).toBeLessThanOrEqual(limit);
  if (cancels.length === 0) expect(outcomesOf(observed)).toEqual(predict(plan));
  for (const { name, isCancelled } of observed.cancelled) {
    const below = [...observed.runs].filter(([other]) => isWithin(plan, other, name));
    const statuses = below.map(([, { run }]) => run.status);
    if (isCancelled) expect(statuses).toContain("cancelled");
  }
  await executor.useAllSlots();
}

describe.each([1, 2, 4])("any graph of runs with %i slots", { timeout: 600_000 }, (limit) => {
  test("ends as the model predicts", async () => {
    const executor = createExecutor(limit);
    const plans = arbitraryPlan(most);
    const property = fc.asyncProperty(plans, (plan) => check(executor, limit, [plan, []]));
    await fc.assert(property, { numRuns: trials });
  });

  test("ends whenever any run is cancelled, and leaves every slot free", async () => {
    const executor = createExecutor(limit);
    const cases = fc.tuple(arbitraryPlan(most), arbitraryCancels(most));
    const property = fc.asyncProperty(cases, (given) => check(executor, limit, given));
    await fc.assert(property, { numRuns: trials });
  });
});
