import { type Command, Option } from "commander";
import { describeKeptWorktree } from "../view/changes/kept-worktree.ts";
import { formatBytes, formatNumberOf } from "../view/format-value.ts";
import { parseDuration } from "../arguments/parse-duration.ts";
import { withCadre } from "../run/open-cadre.ts";
import { writeError, writeJson, writeLine } from "../terminal/output.ts";

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
    .addOption(
      new Option("--older-than <age>", "such as 30d, 12h, 10m, 0s")
        .argParser(parseDuration)
        .default(30 * 86_400_000, "30d"),
    )
    .option("--json", "write JSON: { pruned, freedBytes, keptWorktrees, olderThanMs }")
    .addHelpText("after", example)
    .action(async ({ olderThan, json }: PruneOptions) => {
      const { runs, freedBytes, keptWorktrees } = await withCadre((cadre) =>
        cadre.prune(olderThan),
      );
      if (json === true)
        writeJson({ pruned: runs, freedBytes, keptWorktrees, olderThanMs: olderThan });
      else {
        writeLine(`Deleted ${formatNumberOf(runs, "run")}; freed ${formatBytes(freedBytes)}.`);
        for (const path of keptWorktrees) {
          writeError(describeKeptWorktree(path));
        }
      }
    });
}
