import type { Command } from "commander";
import { startRuns } from "../worker/start-runs.ts";
import type { ShowOptions } from "../run/show-results.ts";
import { usageExit } from "../error/exit-code.ts";
import { writeError } from "../terminal/output.ts";
import { addGrantOptions, type GrantOptions, toGrants } from "../arguments/grant-options.ts";
import { refuseBoth } from "../run/refuse-both.ts";
import { reportError } from "../error/report-error.ts";
import { describeRunArgument } from "../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre resume            everything whose process is gone
  cadre resume last

Runs that depend on the named run and whose process is gone too are continued with it. A run continues with the current
configuration and trust. A run that began with more rights stays unfinished until they are granted again (--trust, --mode);
the exit code is then 2, and other runs continue. Other exit codes are those of \`cadre run\`.`;

type ResumeOptions = ShowOptions & GrantOptions;

/** `cadre resume`. */
export function defineResume(command: Command, setExit: (code: number) => void): void {
  addGrantOptions(command)
    .argument("[run]", `${describeRunArgument()} (default: all such runs)`)
    .option(
      "--json",
      "write the list of results on stdout, with the result of the named run's family first",
    )
    .option("--events", "write the new events of the journal as NDJSON on stdout")
    .addHelpText("after", example)
    .action(async (id: string | undefined, options: ResumeOptions) => {
      refuseBoth(options);
      let refused = 0;
      const refuse = (_: string, error: Error): void => {
        refused += 1;
        reportError(error);
      };
      const code = await startRuns({
        show: options,
        options: toGrants(options),
        toJson: (results) => results,
        async begin(cadre) {
          const handles = await cadre.resume(id, { onRefused: refuse });
          if (handles.length === 0 && refused === 0)
            writeError("Nothing to resume: every run has ended or is active.");
          return handles;
        },
      });
      setExit(code === 0 && refused > 0 ? usageExit : code);
    });
}
