// Commands for triggers, schedules and webhooks.

import type { Command } from "commander";
import type { JsonValue } from "../../../host.ts";
import { addGrantOptions, type GrantOptions, toGrants } from "../../arguments/grant-options.ts";
import { UsageError } from "../../arguments/usage-error.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import { startRuns } from "../../worker/start-runs.ts";
import { refuseBoth } from "../../run/refuse-both.ts";
import type { ShowOptions } from "../../run/show-results.ts";

const examples = `
Examples:
  cadre trigger review
  cadre trigger review --data '{"branch": "main"}'

Starts the run or graph configured under \`triggers\` and waits for its end. The exit codes are those of \`cadre run\`.`;

type TriggerOptions = ShowOptions & GrantOptions & { data?: string };

/** `cadre trigger`. */
export function defineTrigger(command: Command, setExit: (code: number) => void): void {
  addGrantOptions(command)
    .argument("<trigger>", "the name of a trigger in the configuration")
    .option("--data <json>", "the data of the trigger")
    .option("--json", "write the result object on stdout")
    .option("--events", "write the journal as NDJSON on stdout")
    .addHelpText("after", examples)
    .action(async (name: string, options: TriggerOptions) => {
      refuseBoth(options);
      const data = readData(options.data);
      const code = await startRuns({
        show: options,
        options: toGrants(options),
        toJson: ([result]) => result,
        begin: async (cadre) => [await cadre.automation.start(name, omitUndefined({ data }))],
      });
      setExit(code);
    });
}

function readData(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new UsageError(`Expected JSON after --data; got ${text}: ${String(error)}`);
  }
}
