import type { Command } from "commander";
import { shortRunId } from "../../../short-run-id.ts";
import type { Cadre, Schedule } from "../../../host.ts";
import { addRightOptions, type GrantOptions, toGrants } from "../../arguments/grant-options.ts";
import { openCadre, withRuns } from "../../run/open-cadre.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { listenForInterrupts } from "../../terminal/interrupts.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../../terminal/output.ts";
import { formatTimeCell } from "../../view/table/format-cell.ts";
import { formatTable } from "../../view/table/table.ts";

const examples = `
Examples:
  cadre schedule list
  cadre schedule list --json
  cadre schedule execute --mode accept-edits

Schedules are configured under \`schedules\`. \`cadre serve\` executes them too. Of several processes, one executes them.`;

/** `cadre schedule` and its subcommands. */
export function defineSchedule(command: Command): void {
  command.addHelpText("after", examples);
  command
    .command("list")
    .description("list the schedules with their next times and last runs")
    .option("--json", "write JSON: { schedules: [schedule] }")
    .addHelpText("after", examples)
    .action(async ({ json }: { json?: boolean }) => {
      const schedules = await withRuns(async (cadre) => await cadre.automation.schedules());
      if (json === true) return writeJson({ schedules });
      show(schedules);
    });
  addRightOptions(command.command("execute"), "runs")
    .description("execute the schedules and send the webhooks, until SIGTERM or Ctrl-C")
    .addHelpText("after", examples)
    .action(async (options: Omit<GrantOptions, "waitForAnswers">) => await execute(options));
}

async function execute(options: Omit<GrantOptions, "waitForAnswers">): Promise<void> {
  const { killAllProcesses } = await import("../../../host.ts");
  const stop = new AbortController();
  const interrupts = listenForInterrupts({
    onFirst: () => stop.abort(),
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
  const cadre = await openCadre({ ...toGrants(options), onApproval: "wait" }, { submits: true });
  try {
    writeError("Executing the schedules.");
    await automate(cadre, stop.signal);
  } finally {
    // Runs of this process are left for `cadre resume`.
    await cadre.close({ leaveRuns: true });
    interrupts.stop();
  }
}

/** Executes schedules and sends webhooks until `signal` aborts. `write` receives a line for each event; default: stderr. */
export async function automate(
  cadre: Cadre,
  signal: AbortSignal,
  write: (line: string) => void = writeError,
): Promise<void> {
  await cadre.automation.execute({
    signal,
    onNote: (line) => write(`${new Date().toISOString()} ${cleanLine(line)}`),
  });
}

function show(schedules: readonly Schedule[]): void {
  if (schedules.length === 0) {
    return writeError("The configuration has no schedules. docs/automation.md describes them.");
  }
  const columns = columnsOf(process.stdout);
  const rows = schedules.map(({ name, cron, timezone, trigger, nextAt, lastRunId }) => [
    cleanLine(name),
    cleanLine(`${cron} ${timezone}`),
    cleanLine(trigger),
    nextAt === null ? "never" : formatTimeCell(nextAt, columns),
    lastRunId === null ? "" : shortRunId(lastRunId),
  ]);
  const titles = ["SCHEDULE", "CRON", "TRIGGER", "NEXT", "LAST RUN"];
  for (const line of formatTable(titles, rows, columns)) writeLine(line);
  for (const { name, problem } of schedules) {
    if (problem !== null) writeError(cleanLine(`${name}: ${problem}`));
  }
}
