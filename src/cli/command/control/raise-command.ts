import type { Command } from "commander";
import { withRuns } from "../../run/open-cadre.ts";
import { parseBudget } from "../../arguments/parse-budget.ts";
import { parseSeconds } from "../../arguments/parse-duration.ts";
import { UsageError } from "../../arguments/usage-error.ts";
import { writeJson, writeLine } from "../../terminal/output.ts";
import type { LimitRaise } from "../../../host.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre raise 7f3q01c --timeout 300
  cadre raise last --budget tokens=50000,usd=0.5

The amounts are added to the run's existing limits. A run under the budget of a run above it can only get what that budget has
left: raise the budget above it first. A failed run gets higher limits from \`cadre retry\`.`;

/** The options that add to the limits of a run. */
export interface RaiseOptions {
  timeout?: number;
  budget?: string;
}

/** Adds the options that add to the limits of a run. */
export function addRaiseOptions(command: Command): Command {
  return command
    .option("--timeout <time>", "time to add to its timeout: seconds, or such as 10m", parseSeconds)
    .option("--budget <amounts>", "amounts to add to its budget, such as usd=1,tokens=200000");
}

/** Returns the amounts that the options add; `undefined` without any. */
export function toRaise({ timeout, budget }: RaiseOptions): LimitRaise | undefined {
  if (timeout === undefined && budget === undefined) return undefined;
  return {
    ...omitUndefined({ timeoutSeconds: timeout }),
    ...(budget !== undefined && { budget: parseBudget(budget) }),
  };
}

/** `cadre raise`. */
export function defineRaise(command: Command): void {
  addRaiseOptions(command)
    .argument("<run>", describeRunArgument())
    .option("--json", "write JSON: { runId, raise }")
    .addHelpText("after", example)
    .action(async (id: string, { json, ...options }: RaiseOptions & { json?: boolean }) => {
      const raise = toRaise(options);
      if (raise === undefined) throw new UsageError("Expected --timeout or --budget; got neither.");
      await withRuns(async (cadre) => {
        const run = await cadre.find(id);
        await run.raise(raise);
        if (json === true) return writeJson({ runId: run.id, raise });
        const { describeRaise } = await import("../../../host.ts");
        writeLine(`Raised the limits of run ${run.id}: ${describeRaise(raise)}.`);
      });
    });
}
