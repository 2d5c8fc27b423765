// Changes of runs in worktrees: lists of files and of runs, and content that was left.

import { revealText } from "../../terminal/clean-text.ts";
import type { ChangeSet } from "../../../host.ts";

/** Lists changed files with their added and deleted lines, and the totals. */
export function fileRows(files: ChangeSet["files"]): string[] {
  if (files.length === 0) return ["No changes."];
  const rows = files.map(({ path, status, added, deleted }) => {
    const lines = added === null ? "binary" : `+${added} -${deleted ?? 0}`;
    return `${status.padEnd(12)} ${lines.padStart(12)}  ${revealText(path)}`;
  });
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const deleted = files.reduce((sum, file) => sum + (file.deleted ?? 0), 0);
  return [
    ...rows,
    `${files.length === 1 ? "1 file" : `${files.length} files`}, +${added} -${deleted}`,
  ];
}
