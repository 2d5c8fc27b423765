import type { Command } from "commander";
import { shortRunId } from "../../../short-run-id.ts";
import type { WaitingFamily, WorkOverview } from "../../../host.ts";
import { withRuns } from "../../run/open-cadre.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../../terminal/output.ts";
import { formatDuration } from "../../view/format-value.ts";
import { formatTable } from "../../view/table/table.ts";

const examples = `
Examples:
  cadre workers
  cadre workers --json

Lists the live workers, then the families that wait for a worker, with the reason when no worker can execute them.`;

/** `cadre workers`. */
export function defineWorkers(command: Command): void {
  command
    .option("--json", "write JSON: { workers: [worker], waiting: [family] }")
    .addHelpText("after", examples)
    .action(async ({ json }: { json?: boolean }) => {
      const { configuredSource, listWork } = await import("../../../host.ts");
      const registry = await withRuns(
        async ({ configuration }) => await configuredSource(configuration.config),
      );
      const found = await listWork({ registry });
      if (json === true) return writeJson(found);
      show(found);
    });
}

function show({ workers, waiting }: WorkOverview): void {
  if (workers.length === 0) writeError("No worker is alive. Start one: cadre worker");
  const rows = workers.map(({ host, pid, label, concurrency, families, version }) => [
    cleanLine(`${host}/${pid}`),
    label ?? "",
    `${families.length} of ${concurrency}`,
    families.map(shortRunId).join(" "),
    version,
  ]);
  const columns = columnsOf(process.stdout);
  const titles = ["WORKER", "LABEL", "BUSY", "RUNS", "VERSION"];
  if (rows.length > 0) for (const line of formatTable(titles, rows, columns)) writeLine(line);
  for (const family of waiting) writeLine(cleanLine(describeWaiting(family)));
}

function describeWaiting(family: WaitingFamily): string {
  const { rootId, priority, waitedMs, startsInMs, reason } = family;
  const id = shortRunId(rootId) + (priority === 0 ? "" : ` (priority ${priority})`);
  if (startsInMs !== null && startsInMs > 0) {
    return `${id} starts in ${formatDuration(startsInMs)}${reason === null ? "" : `: ${reason}`}`;
  }
  const why = reason ?? "all workers are busy";
  return `${id} waits for ${formatDuration(waitedMs)}: ${why}`;
}
