import type { Command } from "commander";
import type { TodoView } from "../view/run-report.ts";
import { findLeft, reportUnexecutedRuns } from "../background/report-unexecuted-runs.ts";
import { withRuns } from "../run/open-cadre.ts";
import { columnsOf, writeJson, writeLine } from "../terminal/output.ts";
import type { Cadre, RunEvent, RunOverview } from "../../host.ts";
import { describeRunArgument } from "../arguments/describe-run-argument.ts";

const example = `
Example:
  cadre show last`;

/** `cadre show`. */
export function defineShow(command: Command): void {
  command
    .argument("<run>", describeRunArgument())
    .option(
      "--json",
      'write JSON: { run, spec, events }; figures of the run include its descendants, "own" is the run alone',
    )
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withRuns(async (cadre) => {
        const { run, events } = await readRun(cadre, id);
        const left = await findLeft(cadre);
        const created = events[0];
        if (json === true) {
          const spec = created?.type === "run-created" ? created.spec : null;
          writeJson({ run, spec, events });
        } else {
          const { describeRunReport } = await import("../view/run-report.ts");
          const { countedUntil } = await import("../view/tree-line.ts");
          const columns = columnsOf(process.stdout);
          const until = countedUntil(run, left, Date.now());
          const todos = await findTodos(events);
          const lines = describeRunReport(run, events, { todos, columns, until });
          for (const line of lines) writeLine(line);
        }
        await reportUnexecutedRuns(cadre, [run], left);
      });
    });
}

/** Returns the run and its journal so far. */
async function readRun(
  cadre: Cadre,
  id: string,
): Promise<{ run: RunOverview; events: RunEvent[] }> {
  const handle = await cadre.find(id);
  return { run: await handle.state(), events: await handle.journal() };
}

async function findTodos(events: readonly RunEvent[]): Promise<TodoView | undefined> {
  // Imported here because this file is part of every command.
  const { describeTodos } = await import("../../host.ts");
  return describeTodos(events);
}
