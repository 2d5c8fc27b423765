import type { Command } from "commander";
import { withRuns } from "../run/open-cadre.ts";
import { columnsOf, writeError, writeJsonLine, writeLine } from "../terminal/output.ts";
import { shortRunId } from "../../short-run-id.ts";
import type { RunEvent } from "../../host.ts";
import { cutText } from "../terminal/text-width.ts";
import { describeRunArgument } from "../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre events last
  cadre events last --follow --json | grep step-finished

With --follow it shows the events of the run and its descendants; those recorded so far come in order of time.`;

interface EventsOptions {
  follow?: boolean;
  json?: boolean;
}

/** `cadre events`. */
export function defineEvents(command: Command): void {
  command
    .argument("<run>", describeRunArgument())
    .option(
      "--follow",
      "follow the run and its descendants until they have ended, whichever process executes them",
    )
    .option("--json", "write NDJSON: one stored event a line")
    .addHelpText("after", example)
    .action(async (id: string, { follow, json }: EventsOptions) => {
      await withRuns(async (cadre) => {
        const { formatEvent } = await import("../view/event-line.ts");
        const columns = columnsOf(process.stdout);
        const write = (event: RunEvent, prefix = ""): void => {
          if (json === true) writeJsonLine(event);
          else writeLine(cutText(prefix + formatEvent(event), columns));
        };
        if (follow !== true) {
          for (const event of await (await cadre.find(id)).journal()) write(event);
          return;
        }
        const { followFamily } = await import("../run/follow-family.ts");
        const how = { fromStart: true, onWait: writeError };
        for await (const { event } of followFamily(cadre, id, how)) {
          write(event, `${shortRunId(event.runId)} `);
        }
      });
    });
}
