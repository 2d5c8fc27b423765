import { structuredPatch } from "diff";
import type { FileChange } from "../editor/call-view.ts";

/** The time limit of a comparison, in milliseconds. A slower one is omitted. */
const maxMs = 200;

/** Returns a change as a patch; `undefined` when the previous text is unknown or the comparison takes too long. */
export function toGitPatch({ path, before, after }: FileChange): string | undefined {
  if (before === undefined) return undefined;
  const name = path.replaceAll("\\", "/").replace(/^\//, "");
  const found = structuredPatch("", "", before ?? "", after, "", "", { timeout: maxMs });
  if (found === undefined) return undefined;
  const from = before === null ? ["new file mode 100644", "--- /dev/null"] : [`--- a/${name}`];
  const hunks = found.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) =>
    [`@@ -${place(oldStart, oldLines)} +${place(newStart, newLines)} @@`].concat(lines),
  );
  return [`diff --git a/${name} b/${name}`, ...from, `+++ b/${name}`, ...hunks, ""].join("\n");
}

/** Formats a range. An empty range stands behind the line that its number names. */
function place(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}
