import { nameFlags } from "../../arguments/name-flags.ts";
import type { AgentDefinition, CaseReport, EvalReport, Trial } from "../../../host.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "../format-value.ts";
import { formatTable } from "./table.ts";

/** Formats a report for a terminal of `columns` columns. `agents` are the project's agents, for their descriptions. */
export function formatEval(
  report: EvalReport,
  agents: readonly Pick<AgentDefinition, "name" | "description">[],
  columns: number,
): string[] {
  const { cases, trials } = report;
  const lines = [
    ...formatTable(
      ["OUTCOME", "PASSED", "COST", "TOKENS", "TIME", "CASE"],
      cases.map(rowOf),
      columns,
    ),
    ...formatMatrix(report, columns),
    ...report.mixUps.flatMap((mixUp) => explainMixUp(mixUp, agents)),
  ];
  const problems = trials.filter(({ outcome }) => outcome !== "pass").flatMap(explainTrial);
  return [...lines, ...(problems.length > 0 ? ["", ...problems] : [])].map(cleanText);
}

function rowOf(one: CaseReport): string[] {
  const { name, model, outcome, passed, failed, errors, interval, cost, tokens, durationMs } = one;
  const rate = `${passed} of ${passed + failed}`;
  const range = interval?.map((end) => `${Math.round(end * 100)}`).join("-");
  return [
    outcome,
    `${rate}${range === undefined ? "" : ` (${range} %)`}${errors > 0 ? ` +${formatNumberOf(errors, "error")}` : ""}`,
    formatCost(cost),
    formatCount(tokens),
    formatDuration(durationMs),
    model === null ? name : `${name} · ${model}`,
  ];
}

/** Formats the confusion matrix; as a list when it is wider than the terminal. */
function formatMatrix({ confusion }: EvalReport, columns: number): string[] {
  const rows = Object.entries(confusion);
  if (rows.length === 0) return [];
  const chosen = [...new Set(rows.flatMap(([, row]) => Object.keys(row)))].toSorted();
  const counts = rows.map(([expected, row]) => [
    expected,
    ...chosen.map((name) => `${row[name] ?? 0}`),
  ]);
  const table = formatTable(["EXPECTED \\ CHOSEN", ...chosen], counts);
  if (table.every((line) => line.length <= columns)) return ["", ...table];
  const cells = rows.flatMap(([expected, row]) =>
    Object.entries(row).map(([name, times]) => [`${times}`, expected, name]),
  );
  return ["", ...formatTable(["TIMES", "EXPECTED", "CHOSEN"], cells, columns)];
}

function explainMixUp(
  { expected, chosen, times, of }: EvalReport["mixUps"][number],
  agents: readonly Pick<AgentDefinition, "name" | "description">[],
): string[] {
  const describe = (name: string): string[] => {
    const agent = agents.find((one) => one.name === name);
    return agent === undefined ? [] : [`  ${name}: ${JSON.stringify(agent.description)}`];
  };
  const lines = [...describe(expected), ...describe(chosen)];
  if (chosen === "none") {
    return ["", `${expected} is not chosen ${times} of ${of} times. Its description:`, ...lines];
  }
  if (expected === "none") {
    const what = `${chosen} is chosen ${times} of ${of} times where no agent is expected. Its description:`;
    return ["", what, ...lines];
  }
  const what = `${chosen} is chosen for tasks of ${expected} ${times} of ${of} times.`;
  const shared = sharedWords(expected, chosen, agents);
  const words = shared.length === 0 ? "" : ` Their descriptions share: ${shared.join(", ")}.`;
  return ["", `${what}${words || " Compare their descriptions:"}`, ...lines];
}

/** Returns the words of at least four letters that two descriptions share. */
function sharedWords(
  one: string,
  other: string,
  agents: readonly Pick<AgentDefinition, "name" | "description">[],
): string[] {
  const wordsOf = (name: string): Set<string> => {
    const { description = "" } = agents.find((agent) => agent.name === name) ?? {};
    return new Set(description.toLowerCase().match(/\p{L}{4,}/gu));
  };
  const others = wordsOf(other);
  return [...wordsOf(one)].filter((word) => others.has(word));
}

/** Formats one line for each reason why a trial did not pass. */
function explainTrial({ case: name, model, number, outcome, reasons, record }: Trial): string[] {
  const title = `${outcome} ${name} #${number}${model === null ? "" : ` · ${model}`}`;
  const run = record === undefined ? "" : ` (cadre show ${record.runId})`;
  return [
    `${title}${run}`,
    ...reasons.flatMap((reason) =>
      nameFlags(reason)
        .split("\n")
        .map((line) => `  ${line}`),
    ),
  ];
}
