import type { Command } from "commander";
import { firstLine } from "../terminal/clean-text.ts";
import { formatNumberOf } from "../view/format-value.ts";
import { withCadre } from "../run/open-cadre.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../terminal/output.ts";
import { formatIdCell, formatTimeCell } from "../view/table/format-cell.ts";
import { formatTable } from "../view/table/table.ts";
import type { Cadre } from "../../host.ts";

const example = `
Examples:
  cadre cache
  cadre cache --clear

An agent with \`cache: true\` returns an earlier result if the task is the same and everything that the earlier run read is
unchanged; \`cadre tree\` marks such runs.`;

interface CacheOptions {
  clear?: boolean;
  json?: boolean;
}

/** `cadre cache`. */
export function defineCache(command: Command): void {
  command
    .option("--clear", "delete all cached results; the runs themselves stay")
    .option(
      "--json",
      "write JSON: { entries: [{ runId, agent, task, createdAt, hits }] } or { cleared }",
    )
    .addHelpText("after", example)
    .action(async ({ clear, json }: CacheOptions) => {
      await withCadre(async (cadre) => {
        if (clear === true) {
          const cleared = await cadre.cache.clear();
          if (json === true) writeJson({ cleared });
          else writeLine(`Deleted ${formatNumberOf(cleared, "result")}.`);
          return;
        }
        const entries = await describeEntries(cadre);
        if (json === true) writeJson({ entries });
        else listEntries(entries);
      });
    });
}

interface Entry {
  runId: string;
  agent: string;
  task: string;
  createdAt: number;
  hits: number;
}

async function describeEntries(cadre: Cadre): Promise<Entry[]> {
  const entries = await cadre.cache.list();
  return await Promise.all(
    entries.map(async ({ runId, createdAt, hits }) => {
      const { agent, task } = await (await cadre.find(runId)).state();
      return { runId, agent, task, createdAt, hits };
    }),
  );
}

function listEntries(entries: readonly Entry[]): void {
  if (entries.length === 0) {
    writeError("No cached results.");
    return;
  }
  const columns = columnsOf(process.stdout);
  const rows = entries.map(({ runId, agent, task, createdAt, hits }) => [
    formatIdCell(runId, columns),
    agent,
    formatTimeCell(createdAt, columns),
    String(hits),
    firstLine(task),
  ]);
  const titles = ["RUN", "AGENT", "KEPT", "USED", "TASK"];
  for (const line of formatTable(titles, rows, columns)) writeLine(line);
}
