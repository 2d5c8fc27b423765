import type { EvalReport, Trial } from "./eval-report.ts";

/** Formats a report as JUnit XML: a suite for each model, a test case for each trial. */
export function formatJunit({ id, trials }: EvalReport): string {
  const models = [...new Set(trials.map(({ model }) => model))];
  const suites = models.map((model) => formatSuite(id, model, trials));
  const lines = [
    `<testsuites name="cadre eval" ${countsOf(trials)}>`,
    ...suites.flat(),
    "</testsuites>",
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines.join("\n")}\n`;
}

function formatSuite(id: string, model: string | null, trials: readonly Trial[]): string[] {
  const own = trials.filter((trial) => trial.model === model);
  const name = escapeXml(model === null ? `eval ${id}` : `eval ${id} ${model}`);
  return [
    `  <testsuite name="${name}" ${countsOf(own)}>`,
    ...own.flatMap(formatTrial),
    "  </testsuite>",
  ];
}

function countsOf(trials: readonly Trial[]): string {
  const count = (outcome: string): number =>
    trials.filter((trial) => trial.outcome === outcome).length;
  const ms = trials.reduce((sum, { record }) => sum + (record?.durationMs ?? 0), 0);
  return `tests="${trials.length}" failures="${count("fail")}" errors="${count("error")}" time="${ms / 1000}"`;
}

function formatTrial(trial: Trial): string[] {
  const { number, record, outcome, reasons } = trial;
  const attributes = `classname="${escapeXml(trial.case)}" name="${escapeXml(trial.case)} #${number}" time="${(record?.durationMs ?? 0) / 1000}"`;
  if (outcome === "pass") return [`    <testcase ${attributes}/>`];
  const tag = outcome === "fail" ? "failure" : "error";
  const message = escapeXml(reasons[0] ?? "");
  const text = escapeXml([...reasons, ...(record ? [`run ${record.runId}`] : [])].join("\n"));
  return [
    `    <testcase ${attributes}>`,
    `      <${tag} message="${message}">${text}</${tag}>`,
    "    </testcase>",
  ];
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** XML 1.0 cannot represent other control characters. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu, "\uFFFD")
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
