import type { Command } from "commander";
import { describeRun } from "./run-report.ts";
import { withCadre } from "./open-cadre.ts";
import { writeJson, writeLine } from "./output.ts";
import type { Cadre, Run, RunEvent } from "../index.ts";

const example = `
Example:
  cadre show last`;

/** `cadre show`. */
export function defineShow(command: Command): void {
  command
    .argument("<run>", "its id, the part behind the dash, or `last`")
    .option("--json", "write JSON: { run, spec, events }")
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { run, events } = await withCadre({}, (cadre) => readRun(cadre, id));
      const created = events[0];
      if (json === true) {
        writeJson({ run, spec: created?.type === "run-created" ? created.spec : null, events });
      } else {
        for (const line of describeRun(run, events)) writeLine(line);
      }
    });
}

/** The run and its journal so far. */
async function readRun(cadre: Cadre, id: string): Promise<{ run: Run; events: RunEvent[] }> {
  const handle = await cadre.find(id);
  return { run: await handle.state(), events: await handle.journal() };
}
