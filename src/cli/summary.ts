import { cleanText, firstLine } from "./clean-text.ts";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "./format-value.ts";
import { shortId } from "./run-notes.ts";
import { nameOf } from "./tree-line.ts";
import type { Failure, FailureCode, FamilyFigures, Figures, Run, RunOverview } from "../index.ts";

/** What a run took, such as `3 turns, 1.2k tokens in, 80 out, cost $0.01`. */
export function describeFigures({ turns, usage, cost }: Figures): string {
  const tokens = `${formatCount(usage.inputTokens)} tokens in, ${formatCount(usage.outputTokens)} out`;
  return `${formatNumberOf(turns, "turn")}, ${tokens}, cost ${formatCost(cost)}`;
}

/** What several runs took, with how many they are. */
export function describeTotal(figures: FamilyFigures): string {
  return `${formatNumberOf(figures.runs, "run")}, ${describeFigures(figures)}`;
}

const mostFailures = 10;

/** The lines that end a family on stderr: how it went, what failed and why, what it took, and how to look closer. */
export function summarize(family: readonly RunOverview[]): string[] {
  const [root, ...others] = family;
  if (root === undefined) return [];
  const { result } = root;
  const time = formatDuration(result?.durationMs ?? 0);
  const spent = `${formatNumberOf(root.runs, "agent")}, ${describeFigures(root)}, ${time}`;
  const short = shortId(root.id);
  return [
    `${root.status}: ${spent}`,
    ...(result?.failure === undefined ? [] : explainFailure(result.failure)),
    ...(result?.warnings ?? []).map((warning) => `warning: ${cleanText(warning)}`),
    ...listFailures(others),
    `run ${root.id}; look closer with: cadre tree ${short}, cadre show ${short}, cadre events ${short}`,
  ];
}

/** A failure, what it came from, and what to do about it. */
export function explainFailure(failure: Failure): string[] {
  const lines = [`reason: ${cleanText(failure.message)} [${failure.code}]`];
  for (let cause = failure.cause; cause !== undefined; cause = cause.cause) {
    lines.push(`  because: ${cleanText(cause.message)} [${cause.code}]`);
  }
  const what = advice[failure.code];
  return what === undefined ? lines : [...lines, `what to do: ${what}`];
}

const advice: Partial<Record<FailureCode, string>> = {
  "timed-out": "give it more time with --timeout SECONDS, or a smaller task.",
  stalled:
    "see what it was doing with `cadre show last`; limits.stallSeconds sets how long silence is allowed, limits.replySeconds how long a model may take to answer.",
  "permission-denied":
    "allow it with a rule in .cadre/config.yaml, or run with --mode accept-edits or --mode auto.",
  "limit-exceeded":
    "raise the limit in .cadre/config.yaml (`cadre config` lists them), or give a smaller task.",
  internal: "see `cadre events last` for what happened before.",
};

function listFailures(runs: readonly Run[]): string[] {
  const failed = runs.filter(({ result }) => result?.failure !== undefined);
  const lines = failed.slice(0, mostFailures).map((run) => {
    const reason = firstLine(run.result?.failure?.message ?? "");
    return `  ${run.status}: ${nameOf(run)} (${shortId(run.id)}): ${reason}`;
  });
  const more = failed.length - lines.length;
  return more > 0 ? [...lines, `  … and ${more} more`] : lines;
}
