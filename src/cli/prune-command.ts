import { type Command, InvalidArgumentError } from "commander";
import { formatNumberOf, parseDuration } from "./format-value.ts";
import { withCadre } from "./open-cadre.ts";
import { writeJson, writeLine } from "./output.ts";

const example = `
Example:
  cadre prune --older-than 12h`;

interface PruneOptions {
  olderThan: number;
  json?: boolean;
}

/** `cadre prune`. */
export function definePrune(command: Command): void {
  command
    .option("--older-than <age>", "such as 30d, 12h, 10m, 0s", parseAge, 30 * 86_400_000)
    .option("--json", "write JSON: { pruned, olderThanMs }")
    .addHelpText("after", example)
    .action(async ({ olderThan, json }: PruneOptions) => {
      const pruned = await withCadre({}, (cadre) => cadre.prune(olderThan));
      if (json === true) writeJson({ pruned, olderThanMs: olderThan });
      else writeLine(`Forgot ${formatNumberOf(pruned, "run")}.`);
    });
}

function parseAge(text: string): number {
  const age = parseDuration(text);
  if (age !== undefined) return age;
  throw new InvalidArgumentError("Expected an age such as 30d, 12h, 10m or 0s.");
}
