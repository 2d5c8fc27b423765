import type { Command } from "commander";
import { withCadre } from "./open-cadre.ts";
import { writeJson, writeLine } from "./output.ts";

const example = `
Example:
  cadre cancel last --reason "wrong branch"

Runs that were detached end too, also when the run itself has ended.`;

interface CancelOptions {
  reason?: string;
  keepDetached?: boolean;
  json?: boolean;
}

/** `cadre cancel`. */
export function defineCancel(command: Command): void {
  command
    .argument("<run>", "its id, the part behind the dash, or `last`")
    .option("--reason <reason>", "why; it is kept with the run")
    .option("--keep-detached", "let runs live on that were detached")
    .option("--json", "write JSON: { runId, isCancelled, status }")
    .addHelpText("after", example)
    .action(async (id: string, { reason, keepDetached = false, json }: CancelOptions) => {
      await withCadre({}, async (cadre) => {
        const run = await cadre.find(id);
        const before = await run.state();
        const isCancelled = await run.cancel(reason, { keepDetached });
        const { status } = await run.state();
        if (json === true) writeJson({ runId: run.id, isCancelled, status });
        else if (isCancelled && before.endedAt !== null) {
          writeLine(`Run ${run.id} had ended before: ${status}. What outlived it has ended now.`);
        } else if (isCancelled) writeLine(`Run ${run.id} has ended: ${status}.`);
        else writeLine(`Run ${run.id} had ended before: ${status}.`);
      });
    });
}
