import type { Command } from "commander";
import { startRuns } from "../worker/start-runs.ts";
import type { ShowOptions } from "../run/show-results.ts";
import { addGrantOptions, type GrantOptions, toGrants } from "../arguments/grant-options.ts";
import { refuseBoth } from "../run/refuse-both.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { describeRunArgument } from "../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre fork last --task "try it another way"   from its end on
  cadre fork last --at 3                        from its third model step on
  cadre fork 7f3q01c --at tool/2/0 --task "now in French"
  cadre fork last --at end                      only a copy of the conversation

A fork from the end of a successful run needs a task. \`cadre events RUN\` lists the steps of a run. Exit codes: those of \`cadre run\`.`;

interface ForkOptions extends ShowOptions, GrantOptions {
  at?: string;
  task?: string;
}

/** `cadre fork`. */
export function defineFork(command: Command, setExit: (code: number) => void): void {
  addGrantOptions(command)
    .argument("<run>", describeRunArgument())
    .option(
      "--at <step>",
      "the last step to keep: its key, the number of a model step, or `end` (default: the last one)",
    )
    .option("--task <task>", "a message for the new run, which it reads next")
    .option("--json", "write the result object on stdout")
    .option("--events", "write the journal as NDJSON on stdout")
    .addHelpText("after", example)
    .action(async (id: string, options: ForkOptions) => {
      refuseBoth(options);
      const { at, task } = options;
      const code = await startRuns({
        show: options,
        options: toGrants(options),
        toJson: ([result]) => result,
        begin: async (cadre) => [await cadre.fork(id, omitUndefined({ at, task }))],
      });
      setExit(code);
    });
}
