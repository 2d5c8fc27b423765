import type { Command } from "commander";
import { formatCost, formatCount, formatNumberOf } from "./format-value.ts";
import { withCadre } from "./open-cadre.ts";
import { columnsOf, writeJson, writeLine } from "./output.ts";
import { createPaint } from "./paint.ts";
import { layOutTree } from "./run-tree.ts";
import { sumFamily } from "./summary.ts";
import { formatTreeRow } from "./tree-line.ts";
import type { Run } from "../index.ts";

const example = `
Example:
  cadre tree last`;

/** `cadre tree`. */
export function defineTree(command: Command): void {
  command
    .argument("<run>", "its id, the part behind the dash, or `last`")
    .option("--json", "write JSON: { runs: [run], totals }")
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      const runs = await withCadre({}, (cadre) => cadre.tree(id));
      const totals = sumFamily(runs);
      if (json === true) writeJson({ runs, totals });
      else drawTree(runs);
    });
}

function drawTree(runs: readonly Run[]): void {
  const options = {
    columns: columnsOf(process.stdout),
    now: Date.now(),
    paint: createPaint(process.stdout),
  };
  for (const row of layOutTree(runs)) writeLine(formatTreeRow(row, options));
  const { inputTokens, outputTokens, cost, ...counts } = sumFamily(runs);
  writeLine(
    `${formatNumberOf(counts.runs, "run")}, ${formatNumberOf(counts.turns, "turn")}, ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out, cost ${formatCost(cost)}`,
  );
}
