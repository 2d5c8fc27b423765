import type { Command } from "commander";
import { nameLeftRuns } from "../run/name-left-runs.ts";
import { withRuns } from "../run/open-cadre.ts";
import { columnsOf, writeJson, writeLine } from "../terminal/output.ts";
import { createPaint } from "../terminal/paint.ts";
import { layOutTree } from "../view/run-tree.ts";
import { describeTotal } from "../view/summary.ts";
import { formatTreeRow } from "../view/tree-line.ts";
import type { RunOverview } from "../../host.ts";

const example = `
Example:
  cadre tree last`;

/** `cadre tree`. */
export function defineTree(command: Command): void {
  command
    .argument("<run>", "its id, the part of it after the dash, or `last`")
    .option(
      "--json",
      'write JSON: { runs: [run] }; figures of a run include its descendants, "own" is the run alone',
    )
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withRuns(async (cadre) => {
        const runs = await cadre.tree(id);
        if (json === true) writeJson({ runs });
        else drawTree(runs);
        await nameLeftRuns(cadre, runs);
      });
    });
}

function drawTree(runs: readonly RunOverview[]): void {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const options = {
    find: (id: string) => byId.get(id),
    columns: columnsOf(process.stdout),
    now: Date.now(),
    paint: createPaint(process.stdout),
  };
  for (const row of layOutTree(runs)) writeLine(formatTreeRow(row, options));
  const [top] = runs;
  if (top !== undefined) writeLine(describeTotal(top));
}
