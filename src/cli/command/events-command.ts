import type { Command } from "commander";
import { withRuns } from "../run/open-cadre.ts";
import { columnsOf, writeJsonLine, writeLine } from "../terminal/output.ts";
import { cutText } from "../terminal/text-width.ts";

const example = `
Examples:
  cadre events last
  cadre events last --follow --json | grep step-finished`;

interface EventsOptions {
  follow?: boolean;
  json?: boolean;
}

/** `cadre events`. */
export function defineEvents(command: Command): void {
  command
    .argument("<run>", "its id, the part of it after the dash, or `last`")
    .option("--follow", "follow the run until it ends, whichever process executes it")
    .option("--json", "write NDJSON: one event a line, as it is stored")
    .addHelpText("after", example)
    .action(async (id: string, { follow, json }: EventsOptions) => {
      await withRuns(async (cadre) => {
        const run = await cadre.find(id);
        const last = follow === true ? Infinity : (await run.state()).lastSeq;
        const { formatEvent } = await import("../view/event-line.ts");
        const columns = columnsOf(process.stdout);
        for await (const event of run.events()) {
          if (json === true) writeJsonLine(event);
          else writeLine(cutText(formatEvent(event), columns));
          if (event.seq >= last) return;
        }
      });
    });
}
