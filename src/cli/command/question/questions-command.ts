// Commands about permission questions: lists, answers and explains them.

import type { Command } from "commander";
import { withRuns } from "../../run/open-cadre.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../../terminal/output.ts";
import { formatDuration } from "../../view/format-value.ts";
import { formatTable } from "../../view/table/table.ts";

const examples = `
Examples:
  cadre questions
  cadre questions --json

Answer one: cadre answer QUESTION yes`;

/** `cadre questions`. */
export function defineQuestions(command: Command): void {
  command
    .option("--json", "write JSON: { questions: [question] }")
    .addHelpText("after", examples)
    .action(async ({ json }: { json?: boolean }) => {
      await withRuns(async (cadre) => {
        const questions = await cadre.questions();
        if (json === true) return writeJson({ questions });
        if (questions.length === 0) return writeError("No question waits for an answer.");
        const rows = questions.map(({ id, chain, askedAt, title }) => [
          id,
          chain.join(" > "),
          formatDuration(Date.now() - askedAt),
          cleanLine(title),
        ]);
        const titles = ["QUESTION", "AGENT", "WAITS", "WHAT"];
        for (const line of formatTable(titles, rows, columnsOf(process.stdout))) writeLine(line);
      });
    });
}
