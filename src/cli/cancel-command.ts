import type { Command } from "commander";
import { withCadre } from "./open-cadre.ts";
import { writeJson, writeLine } from "./output.ts";

const example = `
Example:
  cadre cancel last --reason "wrong branch"`;

interface CancelOptions {
  reason?: string;
  json?: boolean;
}

/** `cadre cancel`. */
export function defineCancel(command: Command): void {
  command
    .argument("<run>", "its id, the part behind the dash, or `last`")
    .option("--reason <reason>", "why; it is kept with the run")
    .option("--json", "write JSON: { runId, isCancelled, status }")
    .addHelpText("after", example)
    .action(async (id: string, { reason, json }: CancelOptions) => {
      await withCadre({}, async (cadre) => {
        const run = await cadre.find(id);
        const isCancelled = await run.cancel(reason);
        const { status } = await run.state();
        if (json === true) writeJson({ runId: run.id, isCancelled, status });
        else if (isCancelled) writeLine(`Run ${run.id} has ended: ${status}.`);
        else writeLine(`Run ${run.id} had ended before: ${status}.`);
      });
    });
}
