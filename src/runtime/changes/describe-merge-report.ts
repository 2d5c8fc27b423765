import { describeGone } from "./explain-gone.ts";
import type { MergeReport } from "../run-changes.ts";

/** The maximum number of changed files to list. */
const maxFiles = 50;

/** Describes the result of a merge, or of a dry run, for a model. */
export function describeMergeReport(report: MergeReport, isTried: boolean): string {
  const { merged, conflicts, files, left, gone } = report;
  const names = merged.length === 0 ? "nothing" : merged.join(", ");
  const lines = [`${isTried ? "Would merge" : "Merged"}: ${names}.`];
  if (files.length > 0) {
    const others = files.length - maxFiles;
    const more = others > 0 ? ` and ${others} more` : "";
    lines.push(`Changed files: ${files.slice(0, maxFiles).join(", ")}${more}.`);
  }
  for (const { id, files: inConflict } of conflicts) {
    lines.push(`Left out because it conflicts: ${id}.`);
    for (const { path, changedBy } of inConflict) {
      const by = changedBy.length === 0 ? "" : `, also changed by ${changedBy.join(", ")}`;
      lines.push(`- ${path}${by}`);
    }
  }
  for (const { id, folder, paths } of left) {
    lines.push(
      `Not merged of ${id}: ${paths.join(", ")}, which is a separate git repository or a submodule. Its files stay in ${folder} until the changes are discarded.`,
    );
  }
  for (const one of gone) lines.push(describeGone(one));
  return lines.join("\n");
}
