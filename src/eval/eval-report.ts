import type { LoadedCase } from "./eval-file.ts";
import { expectedAgents, type TrialRecord } from "./grade.ts";

/** The outcome of a trial. An `error`, such as an unreachable model, says nothing about the agent. */
export type TrialOutcome = "pass" | "fail" | "error";

/** A trial of a case with a model. Plain JSON. */
export interface Trial {
  case: string;
  model: string | null;
  /** The number of the trial, from 1. */
  number: number;
  outcome: TrialOutcome;
  /** Why the trial did not pass. */
  reasons: readonly string[];
  /** Absent when no run was started. */
  record?: TrialRecord;
  /** The cost of the trial's judges in US dollars; `null` when a price is unknown. */
  judgeCost: number | null;
}

/** A case with one model. */
export interface CaseReport {
  name: string;
  model: string | null;
  outcome: TrialOutcome;
  passed: number;
  failed: number;
  errors: number;
  /** The share of graded trials that must pass. */
  threshold: number;
  /** The 95 % Wilson interval of the pass rate; `null` for fewer than 5 graded trials, which are too few. */
  interval: readonly [number, number] | null;
  /** The cost of all trials with their judges in US dollars; `null` when a price is unknown. */
  cost: number | null;
  tokens: number;
  /** The mean over the trials, in milliseconds. */
  durationMs: number;
}

/** How often each agent was chosen (`none`: no delegation), by expected agent. */
export type ConfusionMatrix = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** An agent that was chosen instead of another, most frequent first. */
export interface MixUp {
  expected: string;
  chosen: string;
  times: number;
  /** The number of trials in which `expected` was expected. */
  of: number;
}

/** The result of an eval. Plain JSON. */
export interface EvalReport {
  id: string;
  outcome: TrialOutcome;
  /** Whether the eval was ended before all trials were done. */
  isInterrupted: boolean;
  cases: readonly CaseReport[];
  trials: readonly Trial[];
  confusion: ConfusionMatrix;
  mixUps: readonly MixUp[];
  cost: number | null;
  tokens: number;
}

/** Computes the report from the trials. */
export function reportEval(
  id: string,
  cases: readonly LoadedCase[],
  trials: readonly Trial[],
  isInterrupted: boolean,
): EvalReport {
  const groups = new Map<string, { one: LoadedCase; trials: Trial[] }>();
  for (const trial of trials) {
    const one = cases.find(({ name }) => name === trial.case);
    if (one === undefined) continue;
    const key = JSON.stringify([trial.case, trial.model]);
    const group = groups.get(key) ?? { one, trials: [] };
    group.trials.push(trial);
    groups.set(key, group);
  }
  const reports = [...groups.values()].map((group) => reportCase(group.one, group.trials));
  const confusion = countConfusion(cases, trials);
  return {
    id,
    outcome: worstOf(reports.map(({ outcome }) => outcome)),
    isInterrupted,
    cases: reports,
    trials,
    confusion,
    mixUps: findMixUps(confusion),
    cost: sumCosts(trials),
    tokens: sumOf(trials.map(({ record }) => record?.tokens ?? 0)),
  };
}

function reportCase({ name, pass }: LoadedCase, trials: readonly Trial[]): CaseReport {
  const count = (outcome: TrialOutcome): number =>
    trials.filter((trial) => trial.outcome === outcome).length;
  const [passed, failed, errors] = [count("pass"), count("fail"), count("error")];
  const graded = passed + failed;
  const isPassed = graded > 0 && passed / graded >= pass;
  const durations = trials.flatMap(({ record }) =>
    record === undefined ? [] : [record.durationMs],
  );
  return {
    name,
    model: trials[0]?.model ?? null,
    outcome: errors > 0 ? "error" : isPassed ? "pass" : "fail",
    passed,
    failed,
    errors,
    threshold: pass,
    interval: graded < 5 ? null : wilsonInterval(passed, graded),
    cost: sumCosts(trials),
    tokens: sumOf(trials.map(({ record }) => record?.tokens ?? 0)),
    durationMs: durations.length === 0 ? 0 : Math.round(sumOf(durations) / durations.length),
  };
}

/** Returns the 95 % Wilson score interval of `passed` out of `all`. */
function wilsonInterval(passed: number, all: number): [number, number] {
  const z = 1.96;
  const rate = passed / all;
  const scale = 1 + z ** 2 / all;
  const center = (rate + z ** 2 / (2 * all)) / scale;
  const half = (z / scale) * Math.sqrt((rate * (1 - rate)) / all + z ** 2 / (4 * all ** 2));
  return [Math.max(0, center - half), Math.min(1, center + half)];
}

/** Counts the choices. Skips trials with an error, in which nothing was chosen. */
function countConfusion(cases: readonly LoadedCase[], trials: readonly Trial[]): ConfusionMatrix {
  // An agent may have the name of an object's method.
  const matrix = Object.create(null) as Record<string, Record<string, number>>;
  for (const { case: name, record, outcome } of trials) {
    const one = cases.find((candidate) => candidate.name === name);
    const patterns = one && expectedAgents(one);
    if (patterns === undefined || record === undefined || outcome === "error") continue;
    const expected = patterns.length === 0 ? ["none"] : [...new Set(patterns.map((p) => p.agent))];
    const made = record.delegations.map(({ agent }) => agent);
    const wrong = made.find((agent) => !expected.includes(agent)) ?? made[0] ?? "none";
    for (const agent of expected) {
      const chosen = made.includes(agent) ? agent : expected.includes(wrong) ? "none" : wrong;
      const row = (matrix[agent] ??= Object.create(null) as Record<string, number>);
      row[chosen] = (row[chosen] ?? 0) + 1;
    }
  }
  return matrix;
}

function findMixUps(matrix: ConfusionMatrix): MixUp[] {
  return Object.entries(matrix)
    .flatMap(([expected, row]) => {
      const of = sumOf(Object.values(row));
      return Object.entries(row)
        .filter(([chosen]) => chosen !== expected)
        .map(([chosen, times]) => ({ expected, chosen, times, of }));
    })
    .toSorted((one, other) => other.times - one.times);
}

function sumCosts(trials: readonly Trial[]): number | null {
  const costs = trials.flatMap(({ record, judgeCost }) => [record?.cost ?? 0, judgeCost]);
  const isUnknown = trials.some((one) => one.record?.cost === null || one.judgeCost === null);
  return isUnknown ? null : sumOf(costs.map((cost) => cost ?? 0));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function worstOf(outcomes: readonly TrialOutcome[]): TrialOutcome {
  return (["error", "fail"] as const).find((one) => outcomes.includes(one)) ?? "pass";
}
