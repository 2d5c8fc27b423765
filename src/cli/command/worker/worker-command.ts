// Commands that start a worker and list the workers and the families that wait for one.

import type { Command } from "commander";
import { addRightOptions, type GrantOptions, toGrants } from "../../arguments/grant-options.ts";
import { parseDuration } from "../../arguments/parse-duration.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import { parseCount } from "../../arguments/parse-number.ts";
import { collectValues } from "../../arguments/collect-values.ts";

const examples = `
Examples:
  cadre worker
  cadre worker --concurrency 4 --mode accept-edits
  cadre worker --label gpu --drain 5m
  cadre worker --trust --clone https://github.com/acme/

Executes the runs that \`cadre run --detach\` submits, with the rights and keys of this command, until SIGTERM or Ctrl-C. It then
waits for its families for the time that --drain sets, and leaves the rest to other workers. A second signal ends it at once.`;

/** The options of `cadre worker`. */
export interface WorkerCommandOptions extends Omit<GrantOptions, "waitForAnswers"> {
  concurrency?: number;
  label?: string;
  clone?: string[];
  /** In milliseconds. */
  drain?: number;
}

/** `cadre worker`. */
export function defineWorker(command: Command): void {
  addRightOptions(command, "runs")
    .option(
      "--concurrency <families>",
      "how many families it executes at once (default: `worker.concurrency`, else 16)",
      parseCount,
    )
    .option(
      "--label <label>",
      "execute only families that need this label (default: `worker.label`, else those that need none)",
    )
    .option(
      "--clone <address>",
      "get files of families from this git repository, or from those whose address begins with it; may be repeated (in addition to `worker.clones`)",
      collectValues,
    )
    .option(
      "--drain <time>",
      "how long SIGTERM waits for families, such as 30s or 5m (default: `worker.drainSeconds`, else 30s)",
      parseDuration,
    )
    .addHelpText("after", examples)
    .action(async (options: WorkerCommandOptions) => {
      const { workUntilSignal } = await import("../../worker/work-until-signal.ts");
      const { concurrency, label, clone = [], drain } = options;
      const given = omitUndefined({ concurrency, label, drain });
      await workUntilSignal({ ...given, clones: clone, grants: toGrants(options) });
    });
}
