// Commands for runs in the background.

import type { Command } from "commander";
import { exitCodeOf } from "../../error/exit-code.ts";
import { createDisplay, reportResults } from "../../run/show-results.ts";
import { withRuns } from "../../run/open-cadre.ts";
import { listenForInterrupts } from "../../terminal/interrupts.ts";
import { shortRunId } from "../../../short-run-id.ts";
import type { Cadre } from "../../../host.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

const examples = `
Examples:
  cadre attach last
  cadre attach 7f3q01c --json

Shows the run as \`cadre run\` does and asks you its open questions. After Ctrl-C the run continues.
The exit codes are those of \`cadre run\`, and 0 when you leave.`;

/** `cadre attach`. */
export function defineAttach(command: Command, setExit: (code: number) => void): void {
  command
    .argument("<run>", describeRunArgument())
    .option("--json", "write the result as one object on stdout, everything else on stderr")
    .addHelpText("after", examples)
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withRuns(async (cadre) => setExit(await attach(cadre, id, json)));
    });
}

async function attach(cadre: Cadre, id: string, json: boolean | undefined): Promise<number> {
  const handle = await cadre.find(id);
  const { watchRun } = await import("../../background/watch-run.ts");
  const display = await createDisplay({}, process.stderr.isTTY);
  const stop = new AbortController();
  const leave = (): void => stop.abort(new Error("the user left"));
  const interrupts = listenForInterrupts({ onFirst: leave, onSecond: () => process.exit(0) });
  const run = await handle.state();
  try {
    await watchRun(cadre, { run, display, stop, asks: true, onInterrupt: interrupts.press });
    const { result } = await handle.state();
    if (result === null) display.note(`The run continues: cadre attach ${shortRunId(handle.id)}`);
    await display.stop();
    if (result === null) return 0;
    await reportResults(cadre, [result], { show: { json: json === true }, toJson: () => result });
    return exitCodeOf(result.status);
  } finally {
    interrupts.stop();
  }
}
