import type { Command } from "commander";
import { describeRun } from "./run-report.ts";
import { withCadre } from "./open-cadre.ts";
import { writeJson, writeLine } from "./output.ts";
import { type FamilyTotals, sumFamily } from "./summary.ts";
import type { Cadre, Run, RunEvent } from "../index.ts";

const example = `
Example:
  cadre show last`;

/** `cadre show`. */
export function defineShow(command: Command): void {
  command
    .argument("<run>", "its id, the part behind the dash, or `last`")
    .option(
      "--json",
      "write JSON: { run, spec, events, totals }; totals are of the run and all below it",
    )
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { run, events, totals } = await withCadre({}, (cadre) => readRun(cadre, id));
      const created = events[0];
      if (json === true) {
        const spec = created?.type === "run-created" ? created.spec : null;
        writeJson({ run, spec, events, totals });
      } else {
        for (const line of describeRun(run, events, totals)) writeLine(line);
      }
    });
}

/** The run, its journal so far, and what it and all below it took. */
async function readRun(
  cadre: Cadre,
  id: string,
): Promise<{ run: Run; events: RunEvent[]; totals: FamilyTotals }> {
  const handle = await cadre.find(id);
  const totals = sumFamily(await cadre.tree(handle.id));
  return { run: await handle.state(), events: await handle.journal(), totals };
}
