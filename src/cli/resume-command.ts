import type { Command } from "commander";
import { conductRuns, type ShowOptions } from "./conduct-runs.ts";
import { usageExit } from "./exit-code.ts";
import { writeError } from "./output.ts";
import { addGrantOptions, type GrantOptions, toGrants } from "./grant-options.ts";
import { refuseBoth } from "./refuse-both.ts";
import { reportError } from "./report-error.ts";

const example = `
Examples:
  cadre resume            everything whose process is gone
  cadre resume last

With the run that is named, those that wait for it and whose process is gone too are continued. A run goes on with what is
configured and trusted now. One that began with more is left as it is until that is granted again (--trust, --mode); the
exit code is 2 then, and others go on. Other exit codes are those of \`cadre run\`.`;

type ResumeOptions = ShowOptions & GrantOptions;

/** `cadre resume`. */
export function defineResume(command: Command, setExit: (code: number) => void): void {
  addGrantOptions(command)
    .argument("[run]", "its id, the part behind the dash, or `last` (default: all such runs)")
    .option("--json", "write the result object on stdout; without a run, a list of them")
    .option("--events", "write the journal, as it goes on, as NDJSON on stdout")
    .addHelpText("after", example)
    .action(async (id: string | undefined, options: ResumeOptions) => {
      refuseBoth(options);
      let refused = 0;
      const refuse = (_: string, error: Error): void => {
        refused += 1;
        reportError(error);
      };
      const code = await conductRuns({
        show: options,
        options: toGrants(options),
        toJson: (results) => (id === undefined ? results : results[0]),
        async begin(cadre) {
          const handles = await cadre.resume(id, { onRefused: refuse });
          if (handles.length === 0 && refused === 0)
            writeError("Nothing to resume: every run has ended or is at work.");
          return handles;
        },
      });
      setExit(code === 0 && refused > 0 ? usageExit : code);
    });
}
