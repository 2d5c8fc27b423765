import { type Command, Option } from "commander";
import { firstLine } from "../terminal/clean-text.ts";
import { formatCost, formatCount, formatDuration } from "../view/format-value.ts";
import { findLeft, reportUnexecutedRuns } from "../background/report-unexecuted-runs.ts";
import { withRuns } from "../run/open-cadre.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../terminal/output.ts";
import { parseCount } from "../arguments/parse-number.ts";
import { formatIdCell, formatTimeCell } from "../view/table/format-cell.ts";
import { formatTable } from "../view/table/table.ts";
import { countedUntil, elapsedOf, runName, titleOf } from "../view/tree-line.ts";
import type { RunOverview, RunStatus } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const example = `
Examples:
  cadre runs --status failed --limit 5
  cadre runs --all --agent code-reviewer --json`;

const figuresNote = `
RUNS, TOKENS and COST include the descendants of a run; so do turns and toolCalls in JSON, where "own" has the figures of
the run alone. On a terminal, a time of today has no date, and a narrow terminal leaves out TOKENS and RUNS.
`;

/** Repeated here because help does not load the library. */
const statuses: readonly RunStatus[] = [
  "queued",
  "waiting",
  "running",
  "awaiting-approval",
  "succeeded",
  "failed",
  "cancelled",
  "timed-out",
];

interface RunsOptions {
  all?: boolean;
  status?: RunStatus;
  agent?: string;
  limit: number;
  json?: boolean;
}

/** `cadre runs`. */
export function defineRuns(command: Command): void {
  command
    .option("--all", "include runs that other runs started")
    .addOption(new Option("--status <status>", "only runs with this status").choices(statuses))
    .option("--agent <name>", "only runs of this agent")
    .option("--limit <count>", "maximum number of runs", parseCount, 20)
    .option("--json", "write JSON: { runs: [run] }")
    .addHelpText("after", `${figuresNote}${example}`)
    .action(async ({ all, status, agent, limit, json }: RunsOptions) => {
      const filter = {
        rootsOnly: all !== true,
        limit,
        ...(status !== undefined && { status: [status] }),
        ...omitUndefined({ agent }),
      };
      await withRuns(async (cadre) => {
        const runs = await cadre.runs(filter);
        const left = await findLeft(cadre);
        if (json === true) writeJson({ runs });
        else listRuns(runs, left);
        await reportUnexecutedRuns(cadre, runs, left);
      });
    });
}

function listRuns(runs: readonly RunOverview[], left: ReadonlySet<string>): void {
  if (runs.length === 0) {
    writeError("No runs.");
    return;
  }
  const now = Date.now();
  const columns = columnsOf(process.stdout);
  const rows = runs.map((run) => [
    formatIdCell(run.id, columns),
    run.status,
    runName(run),
    formatTimeCell(run.createdAt, columns, now),
    formatDuration(elapsedOf(run, countedUntil(run, left, now))),
    String(run.runs),
    formatCount(run.usage.inputTokens + run.usage.outputTokens),
    formatCost(run.cost),
    firstLine(titleOf(run)),
  ]);
  const expendable = ["TOKENS", "RUNS"];
  const titles = ["RUN", "STATUS", "AGENT", "CREATED", "TIME", "RUNS", "TOKENS", "COST", "TASK"];
  for (const line of formatTable(titles, rows, columns, expendable)) writeLine(line);
}
