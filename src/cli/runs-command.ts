import { type Command, Option } from "commander";
import { firstLine } from "./clean-text.ts";
import { formatCost, formatCount, formatDuration, formatTime } from "./format-value.ts";
import { nameLeftRuns } from "./name-left-runs.ts";
import { withCadre } from "./open-cadre.ts";
import { columnsOf, writeError, writeJson, writeLine } from "./output.ts";
import { parseCount } from "./parse-number.ts";
import { formatTable } from "./table.ts";
import { elapsedOf, nameOf, titleOf } from "./tree-line.ts";
import type { RunOverview, RunStatus } from "../index.ts";

const example = `
Examples:
  cadre runs --status failed --limit 5
  cadre runs --all --agent code-reviewer --json`;

const figuresNote = `
RUNS, TOKENS and COST are those of the run and all below it; in JSON so are turns and toolCalls, and "own" has those of
the run alone.
`;

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
    .option("--all", "also those that other runs started")
    .addOption(new Option("--status <status>", "only those in this status").choices(statuses))
    .option("--agent <name>", "only those of this agent")
    .option("--limit <count>", "how many at most", parseCount, 20)
    .option("--json", "write JSON: { runs: [run] }")
    .addHelpText("after", `${figuresNote}${example}`)
    .action(async ({ all, status, agent, limit, json }: RunsOptions) => {
      const filter = {
        rootsOnly: all !== true,
        limit,
        ...(status !== undefined && { status: [status] }),
        ...(agent !== undefined && { agent }),
      };
      await withCadre({}, async (cadre) => {
        const runs = await cadre.runs(filter);
        if (json === true) writeJson({ runs });
        else listRuns(runs);
        await nameLeftRuns(cadre, runs);
      });
    });
}

function listRuns(runs: readonly RunOverview[]): void {
  if (runs.length === 0) {
    writeError("No runs.");
    return;
  }
  const now = Date.now();
  const rows = runs.map((run) => [
    run.id,
    run.status,
    nameOf(run),
    formatTime(run.createdAt),
    formatDuration(elapsedOf(run, now)),
    String(run.runs),
    formatCount(run.usage.inputTokens + run.usage.outputTokens),
    formatCost(run.cost),
    firstLine(titleOf(run)),
  ]);
  const titles = ["RUN", "STATUS", "AGENT", "CREATED", "TIME", "RUNS", "TOKENS", "COST", "TASK"];
  for (const line of formatTable(titles, rows, columnsOf(process.stdout))) writeLine(line);
}
