import type { Command } from "commander";
import { describeRun } from "./run-report.ts";
import { withCadre } from "./open-cadre.ts";
import { writeJson, writeLine } from "./output.ts";
import type { Cadre, RunEvent, RunOverview } from "../index.ts";

const example = `
Example:
  cadre show last`;

/** `cadre show`. */
export function defineShow(command: Command): void {
  command
    .argument("<run>", "its id, the part behind the dash, or `last`")
    .option(
      "--json",
      'write JSON: { run, spec, events }; figures of the run are those of all below it too, "own" is the run alone',
    )
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { run, events } = await withCadre({}, (cadre) => readRun(cadre, id));
      const created = events[0];
      if (json === true) {
        const spec = created?.type === "run-created" ? created.spec : null;
        writeJson({ run, spec, events });
      } else {
        for (const line of describeRun(run, events)) writeLine(line);
      }
    });
}

/** The run and its journal so far. */
async function readRun(
  cadre: Cadre,
  id: string,
): Promise<{ run: RunOverview; events: RunEvent[] }> {
  const handle = await cadre.find(id);
  return { run: await handle.state(), events: await handle.journal() };
}
