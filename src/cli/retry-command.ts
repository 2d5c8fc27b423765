import type { Command } from "commander";
import { conductRuns, type ShowOptions } from "./conduct-runs.ts";
import { addGrantOptions, type GrantOptions, toGrants } from "./grant-options.ts";
import { refuseBoth } from "./refuse-both.ts";

const example = `
Example:
  cadre retry 7f3q01c

A run whose parent is still at work is repeated there, and its parent hears of the result; any other is repeated as a run of its own.
Exit codes are those of \`cadre run\`.`;

type RetryOptions = ShowOptions & GrantOptions;

/** `cadre retry`. */
export function defineRetry(command: Command, setExit: (code: number) => void): void {
  addGrantOptions(command)
    .argument("<run>", "one that did not succeed: its id, the part behind the dash, or `last`")
    .option("--json", "write the result object on stdout")
    .option("--events", "write the journal as NDJSON on stdout")
    .addHelpText("after", example)
    .action(async (id: string, options: RetryOptions) => {
      refuseBoth(options);
      const code = await conductRuns({
        show: options,
        options: toGrants(options),
        toJson: ([result]) => result,
        begin: async (cadre) => [await cadre.retry(id)],
      });
      setExit(code);
    });
}
