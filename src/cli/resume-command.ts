import type { Command } from "commander";
import { conductRuns, type ShowOptions } from "./conduct-runs.ts";
import { writeError } from "./output.ts";
import { refuseBoth } from "./refuse-both.ts";

const example = `
Examples:
  cadre resume            everything whose process is gone
  cadre resume last

Exit codes are those of \`cadre run\`.`;

interface ResumeOptions extends ShowOptions {
  trust?: boolean;
}

/** `cadre resume`. */
export function defineResume(command: Command, setExit: (code: number) => void): void {
  command
    .argument("[run]", "its id, the part behind the dash, or `last` (default: all such runs)")
    .option("--trust", "let this project's program agents run, this once")
    .option("--json", "write the result object on stdout; without a run, a list of them")
    .option("--events", "write the journal, as it goes on, as NDJSON on stdout")
    .addHelpText("after", example)
    .action(async (id: string | undefined, options: ResumeOptions) => {
      refuseBoth(options);
      const { trust } = options;
      const code = await conductRuns({
        show: options,
        options: trust === true ? { trust } : {},
        toJson: (results) => (id === undefined ? results : results[0]),
        async begin(cadre) {
          const handles = await cadre.resume(id);
          if (handles.length === 0)
            writeError("Nothing to resume: every run has ended or is at work.");
          return handles;
        },
      });
      setExit(code);
    });
}
