import { type Diagnostic, hasError } from "../../source/diagnostic.ts";
import { describeValue } from "../../source/read-value.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { KeyPath, Position } from "../../source/position.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { readYaml } from "../../source/yaml/yaml.ts";
import { findDelegationProblems } from "../request/check-delegation.ts";
import { readOwnContext } from "../family/shared-context.ts";
import type { Graph, GraphRun } from "./graph.ts";
import { sortGraph } from "./sort-graph.ts";

/** A parsed graph file; `graph` is `undefined` when the file has errors. */
export interface GraphReading {
  graph: Graph | undefined;
  /** The runs as written, valid or not. */
  runs: readonly Partial<GraphRun>[];
  /** Returns the position of a field of the run at an index in `runs`. */
  positionOf: (index: number, field: string) => Position;
  diagnostics: Diagnostic[];
}

const topFields = ["runs", "sharedContext", "model", "timeoutSeconds", "budget"] as const;

/** Reads and checks a whole graph file before anything is started. */
export async function readGraph(path: string): Promise<GraphReading> {
  const { text, diagnostics } = await readTextFile(path);
  const yaml = readYaml(text ?? "", path);
  diagnostics.push(...(text === null ? [] : yaml.diagnostics));
  const report: Report = (keys, message) => {
    const code = "graph-invalid";
    diagnostics.push({
      path,
      ...yaml.positionOf(...keys),
      severity: "error",
      code,
      message,
      fix: null,
    });
  };
  const start: Position = { line: 1, column: 1 };
  const nothing = { graph: undefined, runs: [], positionOf: () => start, diagnostics };
  if (hasError(diagnostics)) return nothing;
  const found = isRecord(yaml.value) ? yaml.value["runs"] : undefined;
  if (!isRecord(yaml.value) || !Array.isArray(found) || found.length === 0) {
    const got = found === undefined ? "" : `, got ${describeValue(found)}`;
    const expected = "a list of at least one run, each with a label and a task";
    report(["runs"], `Expected \`runs\` to be ${expected}${got}.`);
    return nothing;
  }
  const { runs: items, ...top } = toCamel(yaml.value);
  checkTop(top, report);
  const runs = (items as JsonValue[]).map((item, index) => readRun(item, index, report));
  // The first of two equal labels counts.
  const indices = new Map(runs.map(({ label }, index) => [label, index] as const).toReversed());
  const sorted = sortRuns(runs, indices, report);
  diagnostics.sort((one, other) => one.line - other.line || one.column - other.column);
  return {
    graph: hasError(diagnostics) ? undefined : { ...top, runs: sorted },
    runs,
    positionOf: (index, field) => yaml.positionOf("runs", index, field),
    diagnostics,
  };
}

type Report = (keys: KeyPath, message: string) => void;

function checkTop(top: JsonObject, report: Report): void {
  const known: readonly string[] = topFields;
  for (const key of Object.keys(top).filter((one) => !known.includes(one))) {
    report(
      [key],
      `\`${key}\` is not a field of a graph.${didYouMean(key, known)} Known: ${known.join(", ")}.`,
    );
  }
  const fields = Object.entries(top).filter(([key]) => known.includes(key));
  const request = { agent: "graph", task: "graph", ...Object.fromEntries(fields) };
  for (const { path, message } of findDelegationProblems(request, "delegation")) {
    report(path, `${path.join(".")}: ${endSentence(message)}`);
  }
  const { sharedContext } = top;
  if (!isRecord(sharedContext)) return;
  for (const label of readOwnContext(sharedContext).labels) {
    const message = `All runs share this context, so it cannot refer to the result of one of them (${label}).`;
    report(["sharedContext", `$${label}`], message);
  }
}

function readRun(item: JsonValue, index: number, report: Report): GraphRun {
  if (!isRecord(item)) {
    report(["runs", index], "Expected a run as { label, agent, task, dependsOn, … }.");
    return { label: unnamed(index), agent: "", dependsOn: [] };
  }
  const { chainAfter = [], dependsOn = [], ...rest } = toCamel(item);
  const after = [dependsOn, chainAfter].flat();
  const run = { agent: "main", ...rest, dependsOn: after };
  if (rest["label"] === undefined) report(["runs", index], "Expected a `label` for the run.");
  for (const field of ["background", "detach"].filter((name) => name in rest)) {
    report(["runs", index, field], `A graph waits for all its runs. Remove \`${field}\`.`);
  }
  if ("providerOptions" in rest) {
    report(["runs", index, "providerOptions"], "Only a program can set options for a provider.");
  }
  for (const { path, message } of findDelegationProblems(run, "delegation")) {
    report(["runs", index, ...path], `${path.join(".") || "the run"}: ${endSentence(message)}`);
  }
  const context = isRecord(rest["sharedContext"]) ? rest["sharedContext"] : {};
  const referred = readOwnContext(context).labels;
  const label = typeof rest["label"] === "string" ? rest["label"] : unnamed(index);
  return { ...run, label, dependsOn: [...new Set([...after, ...referred])] } as unknown as GraphRun;
}

function endSentence(message: string): string {
  return /[.?]$/.test(message) ? message : `${message}.`;
}

/** Returns a placeholder for a missing label, which no label can equal. */
function unnamed(index: number): string {
  return `\n${index}`;
}

function sortRuns(
  runs: readonly GraphRun[],
  indices: ReadonlyMap<string, number>,
  report: Report,
): GraphRun[] {
  const labels = [...new Set(runs.map(({ label }) => label))].filter(
    (label) => !label.startsWith("\n"),
  );
  let isWhole = true;
  const refuse: Report = (keys, message) => {
    isWhole = false;
    report(keys, message);
  };
  for (const [index, { label, dependsOn }] of runs.entries()) {
    if (indices.get(label) !== index) {
      refuse(["runs", index, "label"], `The label ${label} is used twice; each run needs its own.`);
    }
    for (const name of dependsOn.filter((one) => typeof one === "string" && !indices.has(one))) {
      const there = `${didYouMean(name, labels)} Labels: ${labels.join(", ")}.`;
      refuse(["runs", index, "dependsOn"], `There is no run ${name} to wait for.${there}`);
    }
  }
  if (!isWhole) return [];
  const order = sortGraph(runs.map((run) => ({ name: run.label, after: run.dependsOn, run })));
  if ("sorted" in order) return order.sorted.map(({ run }) => run);
  const at = indices.get(order.cycle[0] ?? "") ?? 0;
  const path = order.cycle.join(" -> ");
  report(["runs", at, "dependsOn"], `These runs would wait for each other forever: ${path}.`);
  return [];
}

/** Fields may be spelled as in the frontmatter of agents. */
function toCamel(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
