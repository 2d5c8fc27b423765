import { type Command, Option } from "commander";
import { cleanLine, revealText } from "../terminal/clean-text.ts";
import { withRuns } from "../run/open-cadre.ts";
import { writeError, writeJson, writeLine } from "../terminal/output.ts";
import { describeLeftContent } from "../view/changes/left-content.ts";
import { formatNumberOf } from "../view/format-value.ts";
import type { MergeOptions, MergeReport } from "../../host.ts";

const notes = `
Several runs are merged in the order with the fewest conflicts. A run that conflicts with the merged changes is left out, and
its worktree stays. Git hooks and filters do not run, and commits are not signed; with \`git merge cadre/RUN\` they are.

Examples:
  cadre merge last
  cadre merge 7sm10u1 7sm10u2 --dry-run
  cadre merge last --strategy squash

Exit codes: 0 everything was merged, 1 a run conflicts or has content that git cannot merge, such as files in a submodule,
2 wrong usage, or nothing could be merged.`;

interface MergeFlags extends MergeOptions {
  json?: boolean;
}

/** `cadre merge`. */
export function defineMerge(command: Command, setExit: (code: number) => void): void {
  command
    .argument("<runs...>", "runs with a worktree, or runs above such runs")
    .addOption(
      new Option("--strategy <strategy>", "how the commits become part of HEAD")
        .choices(["merge", "squash", "rebase", "patch"])
        .default("merge"),
    )
    .option("--dry-run", "try it, and change nothing")
    .option("--keep", "keep the worktrees and branches of merged runs")
    .option(
      "--json",
      "write JSON: { into, before, merged, conflicts, files, controlFiles, left, gone }",
    )
    .addHelpText("after", notes)
    .action(async (runs: string[], { json, ...options }: MergeFlags) => {
      const report = await withRuns(async (cadre) => await cadre.changes.merge(runs, options));
      if (json === true) writeJson(report);
      else await describeMerge(report, options);
      setExit(report.conflicts.length + report.left.length > 0 ? 1 : 0);
    });
}

async function describeMerge(
  report: MergeReport,
  { dryRun = false, strategy }: MergeOptions,
): Promise<void> {
  const { describeGone } = await import("../../host.ts");
  const { into, before, merged, conflicts, files, controlFiles, left, gone } = report;
  const would = dryRun ? "Would merge" : "Merged";
  for (const id of merged) writeLine(`${would} ${id}.`);
  if (merged.length > 0) {
    const undo = strategy === "patch" || dryRun ? "" : `; HEAD was ${before.slice(0, 12)}`;
    writeLine(`${formatNumberOf(files.length, "file")} in ${revealText(into)}${undo}.`);
  }
  for (const path of controlFiles) {
    writeError(
      `${revealText(path)} configures agents, editors or git: read it before you continue.`,
    );
  }
  for (const one of left) writeError(describeLeftContent(one));
  for (const one of gone) writeError(cleanLine(describeGone(one)));
  for (const { id, files: inConflict } of conflicts) {
    writeError(`${id} conflicts:`);
    for (const { path, changedBy } of inConflict) {
      const others = changedBy.length === 0 ? "" : `, also changed by ${changedBy.join(", ")}`;
      writeError(`  ${revealText(path)}${others}`);
    }
    writeError(`  \`git merge cadre/${id}\` merges it by hand; \`cadre diff ${id}\` shows it.`);
  }
}
