import type { Command } from "commander";
import { withRuns } from "../../run/open-cadre.ts";
import { writeError, writeLine } from "../../terminal/output.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

const examples = `
Examples:
  cadre logs last
  cadre logs 7f3q01c --follow

Times count from the creation of the run. \`cadre show\` shows the whole conversation of one run, \`cadre events\` its journal.`;

/** `cadre logs`. */
export function defineLogs(command: Command): void {
  command
    .argument("<run>", describeRunArgument())
    .option("--follow", "follow until the run and its descendants have ended")
    .addHelpText("after", examples)
    .action(async (id: string, { follow = false }: { follow?: boolean }) => {
      await withRuns(async (cadre) => {
        const { followFamily } = await import("../../run/follow-family.ts");
        const { formatLog } = await import("../../view/log-line.ts");
        const { createdAt } = await (await cadre.find(id)).state();
        const how = { fromStart: true, live: follow, onWait: writeError };
        for await (const { event, run } of followFamily(cadre, id, how)) {
          for (const line of formatLog(event, run, event.at - createdAt)) writeLine(line);
        }
      });
    });
}
