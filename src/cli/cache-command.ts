import type { Command } from "commander";
import { firstLine } from "./clean-text.ts";
import { formatNumberOf, formatTime } from "./format-value.ts";
import { withCadre } from "./open-cadre.ts";
import { columnsOf, writeError, writeJson, writeLine } from "./output.ts";
import { formatTable } from "./table.ts";
import type { Cadre } from "../index.ts";

const example = `
Examples:
  cadre cache
  cadre cache --clear

An agent with \`cache: true\` is answered from an earlier result when it is asked for the same and nothing that the earlier run read
has changed; \`cadre tree\` marks such runs.`;

interface CacheOptions {
  clear?: boolean;
  json?: boolean;
}

/** `cadre cache`. */
export function defineCache(command: Command): void {
  command
    .option("--clear", "forget all kept results; the runs themselves stay")
    .option(
      "--json",
      "write JSON: { entries: [{ runId, agent, task, createdAt, hits }] } or { cleared }",
    )
    .addHelpText("after", example)
    .action(async ({ clear, json }: CacheOptions) => {
      await withCadre({}, async (cadre) => {
        if (clear === true) {
          const cleared = await cadre.cache.clear();
          if (json === true) writeJson({ cleared });
          else writeLine(`Forgot ${formatNumberOf(cleared, "result")}.`);
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
    writeError("No kept results.");
    return;
  }
  const rows = entries.map(({ runId, agent, task, createdAt, hits }) => [
    runId,
    agent,
    formatTime(createdAt),
    String(hits),
    firstLine(task),
  ]);
  const titles = ["RUN", "AGENT", "KEPT", "USED", "TASK"];
  for (const line of formatTable(titles, rows, columnsOf(process.stdout))) writeLine(line);
}
