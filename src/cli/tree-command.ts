import type { Command } from "commander";
import { nameLeftRuns } from "./name-left-runs.ts";
import { withCadre } from "./open-cadre.ts";
import { columnsOf, writeJson, writeLine } from "./output.ts";
import { createPaint } from "./paint.ts";
import { layOutTree } from "./run-tree.ts";
import { describeTotal } from "./summary.ts";
import { formatTreeRow } from "./tree-line.ts";
import type { RunOverview } from "../index.ts";

const example = `
Example:
  cadre tree last`;

/** `cadre tree`. */
export function defineTree(command: Command): void {
  command
    .argument("<run>", "its id, the part behind the dash, or `last`")
    .option(
      "--json",
      'write JSON: { runs: [run] }; figures of a run are those of all below it too, "own" is the run alone',
    )
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withCadre({}, async (cadre) => {
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
