import type { Command } from "commander";
import { findLeft, reportUnexecutedRuns } from "../background/report-unexecuted-runs.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { createDisplay } from "../run/show-results.ts";
import { listenForInterrupts } from "../terminal/interrupts.ts";
import { withRuns } from "../run/open-cadre.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { columnsOf, writeJson, writeLine } from "../terminal/output.ts";
import { createPaint } from "../terminal/paint.ts";
import { shortRunId } from "../../short-run-id.ts";
import { layOutTree } from "../view/run-tree.ts";
import { describeTotal } from "../view/summary.ts";
import { countedUntil, formatTreeRow } from "../view/tree-line.ts";
import type { Cadre, RunOverview } from "../../host.ts";
import { describeRunArgument } from "../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre tree last
  cadre tree last --watch`;

/** `cadre tree`. */
export function defineTree(command: Command): void {
  command
    .argument("<run>", describeRunArgument())
    .option(
      "--json",
      'write JSON: { runs: [run] }; figures of a run include its descendants, "own" is the run alone',
    )
    .option("--watch", "redraw it until all runs have ended; Ctrl-C leaves them alone")
    .addHelpText("after", example)
    .action(async (id: string, { json, watch }: { json?: boolean; watch?: boolean }) => {
      if (json === true && watch === true)
        throw new UsageError("Expected --json or --watch; got both.");
      await withRuns(async (cadre) => {
        if (watch === true) return await watchTree(cadre, id);
        const runs = await cadre.tree(id);
        const left = await findLeft(cadre);
        if (json === true) writeJson({ runs });
        else {
          drawTree(runs, left);
          await drawBoard(cadre, runs);
        }
        await reportUnexecutedRuns(cadre, runs, left);
      });
    });
}

async function watchTree(cadre: Cadre, id: string): Promise<void> {
  const { watchRun } = await import("../background/watch-run.ts");
  const run = await (await cadre.find(id)).state();
  const display = await createDisplay({}, process.stderr.isTTY);
  const stop = new AbortController();
  const leave = (): void => stop.abort(new Error("the user left"));
  const interrupts = listenForInterrupts({ onFirst: leave, onSecond: () => process.exit(0) });
  try {
    await watchRun(cadre, { run, display, stop, asks: false, onInterrupt: leave });
  } finally {
    await display.stop();
    interrupts.stop();
  }
  // On a terminal the tree is visible already.
  if (!process.stderr.isTTY) drawTree(await cadre.tree(id), await findLeft(cadre));
}

/** The maximum number of tasks listed below a tree. */
const maxTasks = 20;

/** Lists the task board of the team, if the family has one. */
async function drawBoard(cadre: Cadre, runs: readonly RunOverview[]): Promise<void> {
  const [top] = runs;
  if (top === undefined || !runs.some(({ team }) => team === true)) return;
  const tasks = await (await cadre.find(top.id)).board();
  if (tasks.length === 0) return;
  const { boardRows } = await import("../view/board-rows.ts");
  const { summarizeBoard } = await import("../../host.ts");
  writeLine(`Board: ${summarizeBoard(tasks)}`);
  for (const row of boardRows(tasks.slice(0, maxTasks), runs)) writeLine(`  ${cleanLine(row)}`);
  const left = tasks.length - maxTasks;
  if (left > 0) writeLine(`  and ${left} more: cadre board ${shortRunId(top.id)}`);
}

function drawTree(runs: readonly RunOverview[], left: ReadonlySet<string>): void {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const options = {
    find: (id: string) => byId.get(id),
    columns: columnsOf(process.stdout),
    paint: createPaint(process.stdout),
  };
  const now = Date.now();
  for (const row of layOutTree(runs)) {
    const until = "run" in row ? countedUntil(row.run, left, now) : now;
    writeLine(formatTreeRow(row, { ...options, now: until }));
  }
  const [top] = runs;
  if (top !== undefined) writeLine(describeTotal(top));
}
