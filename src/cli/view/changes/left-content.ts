import { revealText } from "../../terminal/clean-text.ts";
import type { MergeReport } from "../../../host.ts";

/** Says which files of a worktree no merge takes, where they are, and what to do. `id` is the run. */
export function describeLeftContent({ id, folder, paths }: MergeReport["left"][number]): string {
  const list = paths.map(revealText).join(", ");
  return `Not in the changes of ${id}: ${list}, which is a submodule or a separate git repository. Its files are in ${revealText(folder)}: copy and commit what you need, then \`cadre discard ${id}\`.`;
}
