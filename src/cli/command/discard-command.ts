import type { Command } from "commander";
import { withRuns } from "../run/open-cadre.ts";
import { revealText } from "../terminal/clean-text.ts";
import { writeError, writeJson, writeLine } from "../terminal/output.ts";
import { describeRunArgument } from "../arguments/describe-run-argument.ts";

const example = `
Example:
  cadre discard 7sm10u1`;

/** `cadre discard`. */
export function defineDiscard(command: Command): void {
  command
    .argument("<run>", describeRunArgument("a run with a worktree or above such runs"))
    .option("--json", "write JSON: { discarded: [{ id, commit, lost }] }")
    .addHelpText("after", example)
    .action(async (id: string, { json }: { json?: boolean }) => {
      const discarded = await withRuns(async (cadre) => await cadre.changes.discard(id));
      if (json === true) return writeJson({ discarded });
      for (const { id: runId, commit, lost } of discarded) {
        writeLine(
          `Discarded the changes of ${runId}; \`git branch NAME ${commit.slice(0, 12)}\` brings them back until git deletes them.`,
        );
        if (lost.length > 0)
          writeError(
            `Deleted for good: ${lost.map(revealText).join(", ")}, which was in no commit.`,
          );
      }
    });
}
