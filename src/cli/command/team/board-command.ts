// The command `cadre board`, which shows the task board of a team.

import type { Command } from "commander";
import { withRuns } from "../../run/open-cadre.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { writeJson, writeLine } from "../../terminal/output.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre board last
  cadre board 7sm10u1 --json`;

/** `cadre board`. */
export function defineBoard(command: Command): void {
  command
    .argument("<run>", describeRunArgument("a run of the family"))
    .option("--json", "write JSON: { tasks }")
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withRuns(async (cadre) => {
        const [run, runs] = [await cadre.find(id), await cadre.tree(id)];
        const tasks = await run.board();
        if (json === true) writeJson({ tasks });
        else if (tasks.length === 0) writeLine("The family has no task board, or an empty one.");
        else {
          const { boardRows } = await import("../../view/board-rows.ts");
          const { summarizeBoard } = await import("../../../host.ts");
          for (const row of boardRows(tasks, runs)) writeLine(cleanLine(row));
          writeLine(summarizeBoard(tasks));
        }
      });
    });
}
