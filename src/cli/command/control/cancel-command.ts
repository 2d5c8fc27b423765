// Commands that steer a run, whichever process executes it.

import type { Command } from "commander";
import { withRuns } from "../../run/open-cadre.ts";
import { writeJson, writeLine } from "../../terminal/output.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

const example = `
Example:
  cadre cancel last --reason "wrong branch"

Detached descendants end too, even if the run itself has already ended.`;

interface CancelOptions {
  reason?: string;
  keepDetached?: boolean;
  json?: boolean;
}

/** `cadre cancel`. */
export function defineCancel(command: Command): void {
  command
    .argument("<run>", describeRunArgument())
    .option("--reason <reason>", "the reason, which the journal records")
    .option("--keep-detached", "leave detached descendants running")
    .option("--json", "write JSON: { runId, isCancelled, status }")
    .addHelpText("after", example)
    .action(async (id: string, { reason, keepDetached = false, json }: CancelOptions) => {
      await withRuns(async (cadre) => {
        const run = await cadre.find(id);
        const before = await run.state();
        const isCancelled = await run.cancel(reason, { keepDetached });
        const { status } = await run.state();
        if (json === true) writeJson({ runId: run.id, isCancelled, status });
        else if (isCancelled && before.endedAt !== null) {
          writeLine(
            `Run ${run.id} had ended before: ${status}. Its remaining descendants have ended now.`,
          );
        } else if (isCancelled) writeLine(`Run ${run.id} has ended: ${status}.`);
        else writeLine(`Run ${run.id} had ended before: ${status}.`);
      });
    });
}
