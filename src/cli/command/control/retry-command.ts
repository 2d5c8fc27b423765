import type { Command } from "commander";
import { startRuns } from "../../worker/start-runs.ts";
import type { ShowOptions } from "../../run/show-results.ts";
import { addGrantOptions, type GrantOptions, toGrants } from "../../arguments/grant-options.ts";
import { addRaiseOptions, type RaiseOptions, toRaise } from "./raise-command.ts";
import { refuseBoth } from "../../run/refuse-both.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre retry 7f3q01c
  cadre retry 7f3q01c --timeout 600

A run whose parent is active is retried in its family, and the parent gets the result. Any other run is retried as a new run.
The exit codes are those of \`cadre run\`.`;

type RetryOptions = ShowOptions & GrantOptions & RaiseOptions;

/** `cadre retry`. */
export function defineRetry(command: Command, setExit: (code: number) => void): void {
  addRaiseOptions(addGrantOptions(command))
    .argument("<run>", describeRunArgument("a failed run"))
    .option("--json", "write the result object on stdout")
    .option("--events", "write the journal as NDJSON on stdout")
    .addHelpText("after", example)
    .action(async (id: string, options: RetryOptions) => {
      refuseBoth(options);
      const code = await startRuns({
        show: options,
        options: toGrants(options),
        toJson: ([result]) => result,
        begin: async (cadre) => [await cadre.retry(id, toRaise(options))],
      });
      setExit(code);
    });
}
