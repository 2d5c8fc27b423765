import { cleanText } from "./clean-text.ts";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "./format-value.ts";
import { describePipeline } from "./report/pipeline-lines.ts";
import { listFailures } from "./wording/list-failures.ts";
import { nameFlags } from "./wording/name-flags.ts";
import { shortId } from "./run-notes.ts";
import type { Failure, FailureCode, Run } from "../index.ts";

/** What a family took altogether. */
export interface FamilyTotals {
  runs: number;
  turns: number;
  /** Calls of tools. */
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; `null` when the price of any part is unknown. */
  cost: number | null;
}

/** Adds up a run and its descendants. */
export function sumFamily(runs: readonly Run[]): FamilyTotals {
  const counts = { runs: 0, turns: 0, toolCalls: 0 };
  const totals: FamilyTotals = { ...counts, inputTokens: 0, outputTokens: 0, cost: 0 };
  for (const { turns, toolCalls = 0, usage, cost } of runs) {
    totals.runs += 1;
    totals.turns += turns;
    totals.toolCalls += toolCalls;
    totals.inputTokens += usage.inputTokens;
    totals.outputTokens += usage.outputTokens;
    totals.cost = totals.cost === null || cost === null ? null : totals.cost + cost;
  }
  return totals;
}

/** One line of it. */
export function describeTotals({
  inputTokens,
  outputTokens,
  cost,
  ...counts
}: FamilyTotals): string {
  const tokens = `${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out`;
  return `${formatNumberOf(counts.runs, "run")}, ${formatNumberOf(counts.turns, "turn")}, ${tokens}, cost ${formatCost(cost)}`;
}

/** The lines that end a family on stderr: how it went, what failed and why, what it took, and how to look closer. */
export function summarize(family: readonly Run[]): string[] {
  const [root, ...others] = family;
  if (root === undefined) return [];
  const { result } = root;
  const totals = sumFamily(family);
  const tokens = `${formatCount(totals.inputTokens)} tokens in, ${formatCount(totals.outputTokens)} out`;
  const cost = totals.cost === null ? "cost unknown" : `cost ${formatCost(totals.cost)}`;
  const time = formatDuration(result?.durationMs ?? 0);
  const agents = formatNumberOf(totals.runs, "agent");
  const spent = `${agents}, ${formatNumberOf(totals.turns, "turn")}, ${tokens}, ${cost}, ${time}`;
  const short = shortId(root.id);
  return [
    `${root.status}: ${spent}`,
    ...(result?.failure === undefined ? [] : explainFailure(result.failure)),
    ...describePipeline(result?.output, `cadre show ${short}`),
    ...(result?.warnings ?? []).map((warning) => `warning: ${cleanText(nameFlags(warning))}`),
    ...listFailures(others),
    `run ${root.id}; look closer with: cadre tree ${short}, cadre show ${short}, cadre events ${short}`,
  ];
}

/** A failure, what it came from, and what to do about it. */
export function explainFailure(failure: Failure): string[] {
  const lines = [`reason: ${cleanText(nameFlags(failure.message))} [${failure.code}]`];
  for (let { cause } = failure; cause !== undefined; { cause } = cause) {
    lines.push(`  because: ${cleanText(nameFlags(cause.message))} [${cause.code}]`);
  }
  const what = advice[failure.code];
  return what === undefined ? lines : [...lines, `what to do: ${what}`];
}

const advice: Partial<Record<FailureCode, string>> = {
  "timed-out": "give it more time with --timeout SECONDS, or a smaller task.",
  stalled:
    "see what it was doing with `cadre show last`; limits.stallSeconds sets how long silence is allowed, limits.replySeconds how long a model may take to answer.",
  "permission-denied":
    "allow it with a rule in ~/.cadre/config.yaml, or run with --mode accept-edits or --mode auto.",
  "pipeline-halted":
    "put it right; `cadre retry last` then does again what failed, and only that and what comes after it.",
  internal: "see `cadre events last` for what happened before.",
};
