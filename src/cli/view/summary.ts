import { cleanText } from "../terminal/clean-text.ts";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "./format-value.ts";
import { describePipeline } from "./pipeline-lines.ts";
import { listFailures } from "./list-failures.ts";
import { nameFlags } from "../arguments/name-flags.ts";
import { shortRunId } from "../../short-run-id.ts";
import type { Failure, FailureCode, FamilyFigures, Figures, RunOverview } from "../../host.ts";

/** Formats the figures of a run, such as `3 turns, 1.2k tokens in, 80 out, cost $0.01`. */
export function describeFigures({ turns, usage, cost }: Figures): string {
  const tokens = `${formatCount(usage.inputTokens)} tokens in, ${formatCount(usage.outputTokens)} out`;
  return `${formatNumberOf(turns, "turn")}, ${tokens}, cost ${formatCost(cost)}`;
}

/** Formats the total figures of several runs with their number. */
export function describeTotal(figures: FamilyFigures): string {
  return `${formatNumberOf(figures.runs, "run")}, ${describeFigures(figures)}`;
}

/** Returns the closing lines of a family: its outcome, failures with reasons, figures, and commands for details. */
export function summarize(family: readonly RunOverview[]): string[] {
  const [root, ...others] = family;
  if (root === undefined) return [];
  const { result } = root;
  const time = formatDuration(result?.durationMs ?? 0);
  const spent = `${describeTotal(root)}, ${time}`;
  const short = shortRunId(root.id);
  return [
    `${root.status}: ${spent}`,
    ...(result?.failure === undefined ? [] : explainFailure(result.failure)),
    ...describePipeline(result?.output, `cadre show ${short}`),
    ...(result?.warnings ?? []).map((warning) => `warning: ${cleanText(nameFlags(warning))}`),
    ...listFailures(others),
    `run ${root.id}; for details: cadre tree ${short}, cadre show ${short}, cadre events ${short}`,
  ];
}

/** Formats a failure with its cause and advice. */
export function explainFailure(failure: Failure): string[] {
  const lines = [`reason: ${cleanText(nameFlags(failure.message))} [${failure.code}]`];
  for (let { cause } = failure; cause !== undefined; { cause } = cause) {
    lines.push(`  because: ${cleanText(nameFlags(cause.message))} [${cause.code}]`);
  }
  const what = advice[failure.code];
  return what === undefined ? lines : [...lines, `what to do: ${what}`];
}

const advice: Partial<Record<FailureCode, string>> = {
  "timed-out": "give it more time with --timeout, such as --timeout 10m, or a smaller task.",
  stalled:
    "`cadre show last` shows what it was doing; limits.stallSeconds sets the allowed silence, limits.replySeconds the time a model may take to answer.",
  "permission-denied":
    "allow it with a rule in ~/.cadre/config.yaml, or run with --mode accept-edits or --mode auto. Only the hook can allow a call that a hook stopped.",
  "pipeline-halted":
    "correct it; `cadre retry last` then repeats only the failed part and the parts after it.",
  internal: "`cadre events last` shows what happened before.",
};
