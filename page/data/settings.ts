/** The settings of a run as rows. */

import type { RunSpec } from "./types.ts";

/** A setting and its origin: the call, the definition, the parent, the configuration, or none in particular. */
export interface RunSetting {
  name: string;
  value: string;
  from: string;
}

/** Lists the settings of a run. */
export function listSettings(spec: RunSpec): RunSetting[] {
  const { reasons = {}, policies, fallbacks = [], budget, tools, extensions, retry } = spec;
  const values: [string, string | null | undefined][] = [
    ["model", spec.model],
    ["fallbacks", fallbacks.length === 0 ? null : fallbacks.join(", ")],
    ["temperature", spec.temperature === null ? null : String(spec.temperature)],
    ["effort", spec.effort],
    ["mode", policies.at(-1)?.mode],
    ["timeout", `${spec.timeoutSeconds} s`],
    ["turns", `at most ${spec.maxTurns}`],
    ["depth", `at most ${spec.maxDepth}`],
    ["budget", budget === undefined ? null : describeFields(budget)],
    ["tools", tools?.join(", ")],
    ["agents", spec.agents?.join(", ")],
    ["extensions", extensions?.map(({ name }) => name).join(", ")],
    ["retry", retry === undefined ? null : describeFields(retry)],
    ["workspace", spec.workspace],
    ["chain", spec.chain.join(" › ")],
  ];
  return values.flatMap(([name, value]) =>
    value === null || value === undefined || value === ""
      ? []
      : [{ name, value, from: reasons[name] ?? "" }],
  );
}

function describeFields(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}

/** A setting that differs between two runs. */
export interface DifferentSetting {
  name: string;
  values: readonly [string, string];
}

/** Lists the differences between the settings of two runs, including their tasks. */
export function compareSettings(one: RunSpec, other: RunSpec): DifferentSetting[] {
  const [left, right] = [one, other].map(
    (spec) => new Map(valuesOf(spec).map(([name, value]) => [name, value])),
  ) as [Map<string, string>, Map<string, string>];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) => {
    const values = [left.get(name) ?? "–", right.get(name) ?? "–"] as const;
    // Each trial of an eval has its own temporary folder.
    const isNoise =
      name === "workspace" && values.every((value) => /[\\/]worktrees[\\/]evals[\\/]/.test(value));
    return values[0] === values[1] || isNoise ? [] : [{ name, values }];
  });
}

function valuesOf(spec: RunSpec): [string, string][] {
  return [
    ["agent", spec.agent],
    ["task", spec.task],
    ["definition", spec.definition.slice(0, 12)],
    ...listSettings(spec).map(({ name, value }): [string, string] => [name, value]),
  ];
}
