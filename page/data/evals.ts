/** Comparison of two evals, case by case. */

import type { CaseReport, LoadedCase, RecordedEval, Trial } from "./types.ts";

/** A case of two evals. A side is absent when its eval did not execute the case. */
export interface CasePair {
  name: string;
  /** The models of both sides; `null` means the default model. */
  sides: readonly [CaseReport | undefined, CaseReport | undefined];
  /** The trials of both sides, paired by number. */
  trials: readonly (readonly [Trial | undefined, Trial | undefined])[];
  /** The fields of the case that differ. */
  changes: readonly { name: string; values: readonly [string, string] }[];
}

/** Pairs the cases of two evals by name and model. If each side has only one model, the models may differ. */
export function pairCases(one: RecordedEval, other: RecordedEval): CasePair[] {
  const [left, right] = [byName(one), byName(other)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) =>
    pairReports(left.get(name) ?? [], right.get(name) ?? []).map((sides): CasePair => ({
      name,
      sides,
      trials: pairTrials(trialsOf(one, sides[0]), trialsOf(other, sides[1])),
      changes: compareCases(caseOf(one, name), caseOf(other, name)),
    })),
  );
}

function byName({ report }: RecordedEval): Map<string, CaseReport[]> {
  return Map.groupBy(report.cases, ({ name }) => name);
}

function pairReports(
  left: readonly CaseReport[],
  right: readonly CaseReport[],
): [CaseReport | undefined, CaseReport | undefined][] {
  const [first, second] = [left[0], right[0]];
  if (left.length === 1 && right.length === 1) return [[first, second]];
  const models = new Set([...left, ...right].map(({ model }) => model));
  return [...models].map((model) => [
    left.find((report) => report.model === model),
    right.find((report) => report.model === model),
  ]);
}

function trialsOf({ report }: RecordedEval, side: CaseReport | undefined): Trial[] {
  if (side === undefined) return [];
  return report.trials.filter((trial) => trial.case === side.name && trial.model === side.model);
}

function pairTrials(left: readonly Trial[], right: readonly Trial[]): CasePair["trials"] {
  const numbers = new Set([...left, ...right].map(({ number }) => number));
  return [...numbers]
    .toSorted((one, other) => one - other)
    .map((number) => [
      left.find((trial) => trial.number === number),
      right.find((trial) => trial.number === number),
    ]);
}

function caseOf({ cases }: RecordedEval, name: string): LoadedCase | undefined {
  return cases.find((one) => one.name === name);
}

function compareCases(
  one: LoadedCase | undefined,
  other: LoadedCase | undefined,
): CasePair["changes"] {
  if (one === undefined || other === undefined) return [];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => {
    const values = [textOf(one, name), textOf(other, name)] as const;
    return values[0] === values[1] || name === "path" ? [] : [{ name, values }];
  });
}

function textOf(one: LoadedCase, name: string): string {
  const value = (one as unknown as Record<string, unknown>)[name];
  if (value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Describes the tools that a trial called and the agents that it delegated to. */
export function describeTrial({ record }: Trial): string {
  if (record === undefined) return "no run was started";
  const { delegations, tools } = record;
  const agents = delegations.map(({ agent }) => agent).join(", ");
  const calls = tools.length === 0 ? "no calls" : `calls ${tools.join(", ")}`;
  return `${calls}${agents === "" ? "" : `; delegates to ${agents}`}`;
}
