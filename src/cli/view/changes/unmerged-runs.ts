import { firstLine } from "../../terminal/clean-text.ts";
import { shortRunId } from "../../../short-run-id.ts";
import { formatIdCell, formatTimeCell } from "../table/format-cell.ts";
import { formatTable } from "../table/table.ts";
import { runName, titleOf } from "../tree-line.ts";
import type { Cadre, Run } from "../../../host.ts";

/** Lists runs with changes that are not merged, as a table that fits `columns` columns. */
export function unmergedRows(runs: readonly Run[], columns: number): string[] {
  const rows = runs.map((run) => [
    formatIdCell(run.id, columns),
    run.status,
    runName(run),
    formatTimeCell(run.createdAt, columns),
    firstLine(titleOf(run)),
  ]);
  return formatTable(["RUN", "STATUS", "AGENT", "CREATED", "TASK"], rows, columns);
}

/**
 * Says which sub-agents below the runs `ids`, which have ended, left changes to merge; `undefined` when there are none. The warnings
 * of a run name its own changes.
 */
export async function noteUnmerged(
  { changes }: Pick<Cadre, "changes">,
  ids: readonly string[],
): Promise<string | undefined> {
  const lists = await Promise.all(ids.map(async (id) => await changes.list(id)));
  const [first, ...others] = lists.flat().filter(({ id }) => !ids.includes(id));
  if (first === undefined) return undefined;
  if (others.length > 0)
    return `${others.length + 1} sub-agents left changes to merge: \`cadre diff\` lists them`;
  return `a sub-agent left changes to merge: \`cadre diff ${shortRunId(first.id)}\` shows them`;
}
